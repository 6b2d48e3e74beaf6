async () => {
  const orders = await codemode.listOrders({ userId: 'u1' })
  const missing = await codemode.listInvoices({}).catch((error) => error.message)
  return [orders.length, missing]
}
