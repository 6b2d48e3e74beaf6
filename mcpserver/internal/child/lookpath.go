package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// NotFoundError is a program that is in none of the directories where programs are. Its text is read by people and models, so
// it has the name and not the directories.
type NotFoundError struct {
	Name string
	// Tried are the directories, in order.
	Tried []string
}

func (e *NotFoundError) Error() string {
	if strings.ContainsRune(e.Name, ' ') {
		return fmt.Sprintf("cannot find the program %q; arguments belong into args, one by one", e.Name)
	}
	return fmt.Sprintf("cannot find the program %q; install it or give its full path", e.Name)
}

// LookPath finds a program's file in the directories of path, then where package managers and version managers put
// programs: hosts with a window start us with a PATH that knows neither. The error of a name is a *NotFoundError.
func LookPath(name, path string) (string, error) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		if err := checkExecutable(name); err != nil {
			return "", fmt.Errorf("cannot start %s: %w", name, err)
		}
		return name, nil
	}
	dirs := filepath.SplitList(path)
	usual := usualDirs()
	for _, dir := range append(slices.Clone(dirs), usual...) {
		if !filepath.IsAbs(dir) {
			continue // a relative directory would depend on where we were started
		}
		if file := filepath.Join(dir, name); checkExecutable(file) == nil {
			return file, nil
		}
	}
	if runtime.GOOS == "windows" {
		if file, err := exec.LookPath(name); err == nil { // it knows the endings of PATHEXT
			return file, nil
		}
	}
	var tried []string
	for _, dir := range append(dirs, usual...) {
		if !slices.Contains(tried, dir) {
			tried = append(tried, dir)
		}
	}
	return "", &NotFoundError{Name: name, Tried: tried}
}

func checkExecutable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory", file)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable", file)
	}
	return nil
}

// usualDirs lists the directories that exist of those where tools for servers get installed.
func usualDirs() []string {
	candidates := []string{"/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/bin", "/bin", "/snap/bin"}
	if home, err := os.UserHomeDir(); err == nil {
		for _, dir := range []string{".local/bin", "bin", ".volta/bin", ".bun/bin", ".deno/bin", ".cargo/bin", ".asdf/shims", ".local/share/mise/shims", ".local/share/fnm/aliases/default/bin"} {
			candidates = append(candidates, filepath.Join(home, dir))
		}
		// The newest node of nvm; names such as v9 and v20 have to be compared by number.
		versions, _ := filepath.Glob(filepath.Join(home, ".nvm/versions/node/v*/bin"))
		slices.SortFunc(versions, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
		candidates = append(candidates, versions...)
	}
	return slices.DeleteFunc(candidates, func(dir string) bool {
		info, err := os.Stat(dir)
		return err != nil || !info.IsDir()
	})
}

func numbers(versionDir string) (list []int) {
	for _, part := range strings.Split(strings.TrimPrefix(filepath.Base(filepath.Dir(versionDir)), "v"), ".") {
		n := 0
		_, _ = fmt.Sscan(part, &n) // what is no number counts as 0
		list = append(list, n)
	}
	return list
}
