package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script is a program, or an expression for the browser, from testdata/page.
func script(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "page", name+".js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPageInABrowser shows runs to a real browser, as they go, and drives it by its keyboard.
func TestPageInABrowser(t *testing.T) {
	s := serveShown(t, "--demo")
	page, _, _ := strings.Cut(s.url, "/?")
	b := openTab(t, page)
	b.look(1100, "light")

	// the token leaves the address, and no script can read it
	b.do(navigate(s.url))
	b.await(`location.href`, page+"/")
	b.await(`document.cookie`, "")
	b.await(`document.getElementById('state').textContent`, "live")
	b.await(`document.querySelector('.empty p').textContent`, "Nothing has run yet.")

	// what runs comes by itself
	s.run(t, script(t, "quick"))
	b.await(`document.querySelectorAll('.run').length`, "1")
	b.await(`document.querySelector('.run .name').textContent`, "Orders of everybody")
	s.run(t, script(t, "failing"))
	s.run(t, script(t, "hostile"))
	b.await(`document.querySelectorAll('.run').length`, "3")
	b.await(`document.querySelectorAll('.run .outcome.failed').length`, "2")
	b.picture("runs-light")

	browseByKeyboard(b)
	watchARun(b, s)
	searchCatalogue(b)
	eachPageReads(b)
	withoutScript(b)
}

// browseByKeyboard goes to the failed program, its call, back, and into the search.
func browseByKeyboard(b *tab) {
	b.Helper()
	b.press("j")
	b.await(`document.querySelectorAll('.item')[0] === document.activeElement`, "true")
	b.press("jk")
	b.press("j")
	b.await(`document.querySelectorAll('.item')[1] === document.activeElement`, "true")
	b.press("\r")
	b.await(`document.querySelector('.line.failing')?.textContent.trim()`, "failed here:   return first.total")
	b.press("j")
	b.press("\r")
	b.await(`document.querySelectorAll('details[open] .detail pre').length`, "2")
	b.picture("run-light")
	b.press(string(escape))
	b.await(`location.pathname + document.readyState`, "/complete")
	b.press("?")
	b.await(`document.getElementById('help').open`, "true")
	b.picture("help-light")
	b.press(string(escape))
	b.await(`document.getElementById('help').open`, "false")
	b.press("/")
	b.await(`document.activeElement.id`, "search")
	b.press("lost\r")
	b.await(`location.search + ' ' + document.querySelectorAll('.run').length`, "?q=lost 1")

	b.open("/?show=ok")
	b.await(`document.querySelectorAll('.run').length`, "1")

	b.open("/?q=evil")
	b.await(`document.querySelector('.run .why').textContent.includes('<b id=evil>\\u202eevil</b>')`, "true")
	b.await(`[...document.querySelectorAll('#evil, #live img, #live script')].length`, "0")
}

// watchARun sees the calls of a run come, and its end.
func watchARun(b *tab, s *shown) {
	b.Helper()
	s.start(script(b.T, "slow"))
	b.open("/?show=running")
	b.await(`document.querySelectorAll('.run').length`, "1")
	b.click(".run")
	b.await(`document.querySelectorAll('.calls li').length > 4`, "true")
	b.text(`window.same = 1`)
	b.await(`document.querySelectorAll('.calls li').length > 20`, "true")
	b.click(".calls summary")
	b.await(`document.querySelectorAll('.calls li').length > 30 && document.querySelectorAll('.calls details[open]').length`, "1")
	b.picture("running-light")
	s.answer(b.T)
	b.await(`document.querySelector('.title .outcome').textContent.trim()`, "✓ ok")
	b.await(`document.querySelectorAll('.calls details[open]').length + ' ' + window.same`, "1 1") // the page was never left
	b.await(`document.getElementById('state').textContent`, "")
}

func searchCatalogue(b *tab) {
	b.Helper()
	b.open("/catalogue")
	b.await(`document.querySelectorAll('.function').length`, "2")
	b.press("/")
	b.press("belonging userid\r")
	b.await(`[...document.querySelectorAll('.function')].map((f) => f.id)`, "fn-codemode.listOrders")
	b.await(`document.querySelector('.code .keyword').textContent`, "type")
}

// eachPageReads looks at all pages, wide and narrow, light and dark: nothing is cut off sideways, and all text stands out from
// what is behind it as WCAG asks for (4.5 to 1).
func eachPageReads(b *tab) {
	b.Helper()
	b.open("/?q=orders")
	run := b.text(`document.querySelector('.run').getAttribute('href')`)
	faint := script(b.T, "faint")
	for name, path := range map[string]string{"list": "/", "run": run, "catalogue": "/catalogue?q=list", "tokens": "/tokens", "empty": "/?q=nothing-like-it"} {
		b.open(path)
		for _, scheme := range []string{"light", "dark"} {
			for width, file := range map[int64]string{1100: "wide", 400: "narrow"} {
				b.look(width, scheme)
				if over := b.text(`document.documentElement.scrollWidth - innerWidth`); over != "0" {
					b.Errorf("%s is %s pixels too wide for %d", path, over, width)
				}
				if below := b.text(`Math.floor(Math.max(0, document.documentElement.scrollHeight - Math.max(innerHeight, document.body.getBoundingClientRect().bottom + scrollY)))`); below != "0" {
					b.Errorf("%s goes on for %s pixels below its end", path, below)
				}
				if faint := b.text(faint); faint != "" {
					b.Errorf("%s in %s: %s", path, scheme, faint)
				}
				b.picture(name + "-" + file + "-" + scheme)
			}
		}
	}
	b.look(1100, "light")
}

// withoutScript finds everything by links and forms.
func withoutScript(b *tab) {
	b.Helper()
	b.scriptless(true)
	defer b.scriptless(false)
	b.open("/")
	b.click(".search button")
	b.click(".run[href]")
	b.await(`document.querySelector('h1').textContent`, "Slowly")
	b.click("nav a[href='/catalogue']")
	b.await(`document.querySelectorAll('.function').length`, "2")
	b.await(`document.documentElement.className`, "")
}
