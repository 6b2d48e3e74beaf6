async () => {
  const parts = await stock.parts({})
  const levels = await Promise.all(parts.map((part) => stock.level({ part })))
  return parts.filter((_, i) => levels[i] < 10)
}
