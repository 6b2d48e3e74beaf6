package jail

type Options struct {
	Memory int64
	Keep   []int
}
type Confinement struct{ InForce []string }

func Enter(Options) (*Confinement, error)   { return &Confinement{}, nil }
func (c *Confinement) Anonymous() int64 { return 0 }
