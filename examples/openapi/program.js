async () => {
  const low = await stock.listParts({ below: 10 })
  const orders = await Promise.all(low.map(({ name, level }) => stock.createOrder({ body: { part: name, amount: 10 - level } })))
  const refusal = async (call) => {
    try {
      return await call()
    } catch (error) {
      return error.message
    }
  }
  const status = await stock.request({ method: 'GET', path: '/status' }) // the document leaves it out
  return {
    orders,
    status: status.body,
    missing: await refusal(() => stock.getPart({ name: 'cog' })),
    deleted: await refusal(() => stock.deletePart({ name: 'nut' })),
    wrong: await refusal(() => stock.createOrder({ body: { part: 'nut', amount: 0 } })),
  }
}
