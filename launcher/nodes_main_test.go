package launcher

// A sentNodes is what a job on several nodes for another process may say.
type sentNodes struct {
	BTL   string
	Apps  []App
	Nodes *Nodes
}
