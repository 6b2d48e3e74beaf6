async () => {
  const orders = await codemode.listOrders({ userId: 'u1' })
  return orders.filter((order) => order.status === 'shipped').reduce((total, order) => total + order.total, 0)
}
