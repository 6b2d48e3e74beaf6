const program = (
PROGRAM
)
return typeof program === 'function' ? program() : program
