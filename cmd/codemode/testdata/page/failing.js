async () => {
  const orders = await codemode.listOrders({ userId: 'u1' })
  const first = orders.find((o) => o.status === 'lost')
  return first.total
}
