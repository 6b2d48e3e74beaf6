async () => { const program = (
