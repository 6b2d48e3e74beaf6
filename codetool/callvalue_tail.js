
)
return typeof program === "function" ? await program() : program
