package config

// ProjectServers names the projects in a file of Claude Code's that have servers of their own ("projects": {PATH: {"mcpServers":
// {…}}}). Only that program, in that project, starts them; an installation leaves them where they are.
func ProjectServers(file string, data []byte) []string {
	top, err := parseTree(file, data)
	if err != nil {
		return nil // whoever reads its servers says so
	}
	projects := top.get("projects")
	if projects == nil {
		return nil
	}
	var names []string
	for _, project := range projects.members {
		if servers := project.value.get("mcpServers"); servers != nil && len(servers.members) > 0 {
			names = append(names, project.key)
		}
	}
	return names
}
