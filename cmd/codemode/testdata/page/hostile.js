async () => {
  await codemode.listUsers({}) /* ‮ </script><img src=x onerror=alert(1)> */
  throw new Error('<b id=evil>‮evil</b>\u0007')
}
