const program = (
