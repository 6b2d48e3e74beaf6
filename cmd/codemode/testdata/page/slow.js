// Slowly
async () => {
  for (let i = 0; i < 100; i++) {
    await codemode.listOrders({ userId: 'u1' })
    await new Promise((r) => setTimeout(r, 30))
  }
}
