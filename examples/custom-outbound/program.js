async () => {
  const ask = async (url, init) => {
    try {
      const response = await fetch(url, init)
      return response.status + ' ' + (await response.text())
    } catch (error) {
      return error.message
    }
  }
  return [
    await ask('https://api.example/orders'),
    await ask('https://api.example/moved'),
    await ask('https://api.example/orders', { method: 'DELETE' }),
    await ask('http://169.254.169.254/latest/meta-data/'),
  ].join('\n')
}
