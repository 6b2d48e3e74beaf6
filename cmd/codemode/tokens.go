package main

import "github.com/tiktoken-go/tokenizer/codec"

// countTokens counts a text in o200k, the vocabulary of current OpenAI models; other models' counts are near it.
func countTokens(text string) (int, error) { return codec.NewO200kBase().Count(text) }
