package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
)

// resultScheme is that of the pages of results that were cut: codemode-result://ID/PAGE.
const resultScheme = "codemode-result://"

// PageKey is where a page's _meta says which it is: {"page", "pages", "next"}, the last a URI.
const PageKey = "codemode/page"

// resultPages has the whole of results that were cut, as resources that the answer links to and no list shows.
type resultPages struct{ *codetool.Pages }

func (resultPages) owns(uri string) bool                             { return strings.HasPrefix(uri, resultScheme) }
func (resultPages) list(context.Context) []mcp.Resource              { return nil }
func (resultPages) templates(context.Context) []mcp.ResourceTemplate { return nil }
func (p resultPages) left(_ context.Context, session server.ClientSession) {
	p.Forget(session.SessionID())
}

func (p resultPages) read(ctx context.Context, uri string, _ *mcp.Meta) ([]mcp.ResourceContents, error) {
	id, number, _ := strings.Cut(strings.TrimPrefix(uri, resultScheme), "/")
	page, err := strconv.Atoi(number)
	if err != nil {
		return nil, errNoResource
	}
	text, pages, err := p.Read(ownerOf(ctx), id, page)
	var none *codetool.NoPageError
	if errors.As(err, &none) && none.Pages == 0 {
		return nil, errNoResource
	}
	if err != nil {
		return nil, err
	}
	about := map[string]any{"page": page, "pages": pages}
	if page < pages {
		about["next"] = pageURI(id, page+1)
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{
		URI: uri, MIMEType: "text/plain", Text: text, Meta: map[string]any{PageKey: about},
	}}, nil
}

func pageURI(id string, page int) string { return fmt.Sprintf("%s%s/%d", resultScheme, id, page) }

// ownerOf is who may read what an answer to ctx links to: the session. The revisions without one have who sent the request and, where
// nobody knows that, the URI alone, which nobody guesses.
func ownerOf(ctx context.Context) string {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return identityOf(ctx).owner()
	}
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}

// keep makes a link to the whole of a text that was cut; nil when it is too long even for that.
func (p resultPages) keep(ctx context.Context, what, text string) mcp.Content {
	id, pages, ok := p.Keep(ownerOf(ctx), text)
	if !ok {
		return nil
	}
	words := fmt.Sprintf("The whole %s, %d characters, for a while. Page 1 of %d", what, characters(text), pages)
	if pages > 1 {
		words += fmt.Sprintf("; the last is %s", pageURI(id, pages))
	}
	return mcp.NewResourceLink(pageURI(id, 1), what, words+".", "text/plain")
}

// characters counts those of a text as JavaScript does.
func characters(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
