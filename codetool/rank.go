package codetool

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/codemode-go/codemode/protocol"
)

// ranking finds tools by words: BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over the
// words of a tool's name, namespace, description and parameters, each weighted. It is made once for a catalogue.
type ranking struct {
	tools    []*boundTool
	lengths  []float64
	average  float64
	postings map[string][]posting
	words    []string // of postings, sorted
}

// posting is a tool that has a word, and how much of it.
type posting struct {
	tool   int
	weight float64
}

// BM25's parameters, at the values that the paper recommends.
const (
	saturation = 1.2
	flattening = 0.75
)

// What a word counts where it stands.
const (
	inName        = 4
	inNamespace   = 2
	inDescription = 1
	inParameter   = 0.5
)

const (
	// maxIndexed bounds the words of one tool's description that count.
	maxIndexed = 400
	// minPrefix is from which length a word of the query also finds longer ones that begin so.
	minPrefix = 3
	// inPart is what a word counts that only begins with the query's.
	inPart = 0.4
)

func newRanking(tools []*boundTool) *ranking {
	r := &ranking{tools: tools, lengths: make([]float64, len(tools)), postings: map[string][]posting{}}
	for i, tool := range tools {
		weights := map[string]float64{}
		add := func(text string, weight float64) {
			for _, word := range words(text) {
				weights[word] += weight
				r.lengths[i] += weight
			}
		}
		add(tool.identifier+" "+tool.Title, inName)
		add(tool.namespace+" "+tool.provider, inNamespace)
		add(firstWords(tool.Description, maxIndexed), inDescription)
		for _, name := range parameterNames(tool.InputSchema) {
			add(name, inParameter)
		}
		for word, weight := range weights {
			r.postings[word] = append(r.postings[word], posting{i, weight})
		}
		r.average += r.lengths[i] / float64(len(tools))
	}
	r.words = slices.Sorted(maps.Keys(r.postings))
	return r
}

// parameterNames are the properties that a schema declares at its top.
func parameterNames(schema []byte) []string {
	decoded, err := protocol.DecodeValue(schema)
	if err != nil {
		return nil
	}
	properties, _ := member(decoded, "properties").(protocol.Object)
	names := make([]string, 0, len(properties))
	for _, p := range properties {
		names = append(names, p.Key)
	}
	return names
}

func firstWords(text string, count int) string {
	fields := strings.Fields(text)
	return strings.Join(fields[:min(len(fields), count)], " ")
}

// find is at most limit tools that have a word of the query, the best first and equally good ones in their order. A
// query without words finds the first tools.
func (r *ranking) find(query string, limit int) []*boundTool {
	asked := words(query)
	if len(asked) == 0 {
		return r.tools[:min(len(r.tools), limit)]
	}
	scores := map[int]float64{}
	for _, word := range asked {
		for i, score := range r.scoresOf(word) {
			scores[i] += score
		}
	}
	hits := make([]int, 0, len(scores))
	for i := range scores {
		hits = append(hits, i)
	}
	slices.SortFunc(hits, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	found := make([]*boundTool, 0, min(len(hits), limit))
	for _, i := range hits[:min(len(hits), limit)] {
		found = append(found, r.tools[i])
	}
	return found
}

// scoresOf are the scores of the tools that have one word, or one that begins so.
func (r *ranking) scoresOf(word string) map[int]float64 {
	weights := map[int]float64{}
	for _, p := range r.postings[word] {
		weights[p.tool] += p.weight
	}
	if len(word) >= minPrefix {
		first, _ := slices.BinarySearch(r.words, word)
		for _, longer := range r.words[first:] {
			if !strings.HasPrefix(longer, word) {
				break
			}
			if longer == word {
				continue
			}
			for _, p := range r.postings[longer] {
				weights[p.tool] += p.weight * inPart
			}
		}
	}
	have := float64(len(weights))
	rarity := math.Log(1 + (float64(len(r.tools))-have+0.5)/(have+0.5))
	for i, weight := range weights {
		weights[i] = rarity * weight * (saturation + 1) / (weight + saturation*(1-flattening+flattening*r.lengths[i]/r.average))
	}
	return weights
}

// words are the words of a text in small letters: camelCase and snake_case come apart, and plurals and the endings of
// verbs fall away. A script without spaces has a word for each character and for each two neighbours.
func words(text string) []string {
	var list []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			list = append(list, stem(string(word)))
			word = word[:0]
		}
	}
	var last rune
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			flush()
			list = append(list, string(r))
			if unicode.In(last, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
				list = append(list, string([]rune{last, r}))
			}
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if unicode.IsUpper(r) && unicode.IsLower(last) {
				flush()
			}
			word = append(word, unicode.ToLower(r))
		default:
			flush()
		}
		last = r
	}
	flush()
	return list
}

// stem cuts the commonest endings of English, so that "issues" finds "issue" and "listing" finds "list".
func stem(word string) string {
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case len(word) > 4 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "shes")):
		return word[:len(word)-2]
	case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	case len(word) > 6 && strings.HasSuffix(word, "ing"):
		return word[:len(word)-3]
	}
	return word
}
