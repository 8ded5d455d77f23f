package capi

import "github.com/gopvas/gopvas/internal/msg/comm"

// graph returns the graph that a communicator has from Graph_create.
func (p *Process) graph(c Comm) (*comm.GraphTopology, error) {
	on, err := p.comm(c)
	if err != nil {
		return nil, err
	}
	g, ok := comm.GraphOf(on.c)
	if !ok {
		return nil, fail(ERR_TOPOLOGY, "%s has no graph topology", on.title())
	}
	return g, nil
}

// wholeGraph checks the arguments that describe a graph.
func wholeGraph(nodes int, index, edges Ints) (i, e []int, err error) {
	if nodes < 0 {
		return nil, nil, fail(ERR_ARG, "%d nodes", nodes)
	}
	i = index.Copy(nodes)
	if nodes == 0 {
		return i, nil, nil
	}
	last := i[nodes-1]
	if last < 0 {
		return nil, nil, fail(ERR_ARG, "the index ends at %d", last)
	}
	return i, edges.Copy(last), nil
}

// Graph_create is MPI_Graph_create.
func (p *Process) Graph_create(c Comm, nodes int, index, edges Ints, reorder int, out Ptr[Comm]) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	i, e, err := wholeGraph(nodes, index, edges)
	if err != nil {
		return err
	}
	g, err := comm.GraphCreate(on.c, i, e)
	if g == nil {
		return p.made(nil, classed(err, ERR_ARG), on, out)
	}
	return p.made(g.Comm, nil, on, out)
}

// Graphdims_get is MPI_Graphdims_get.
func (p *Process) Graphdims_get(g *comm.GraphTopology, nodes, edges Ref) error {
	i, e := g.Edges()
	nodes.Set(len(i))
	edges.Set(len(e))
	return nil
}

// Graph_get is MPI_Graph_get.
func (p *Process) Graph_get(g *comm.GraphTopology, maxIndex, maxEdges int, index, edges Ints) error {
	i, e := g.Edges()
	fill(index, i, maxIndex)
	fill(edges, e, maxEdges)
	return nil
}

// fill writes the values, at most room of them.
func fill(out Ints, values []int, room int) {
	for i := range min(room, len(values)) {
		out.Set(i, values[i])
	}
}

// Graph_neighbors_count is MPI_Graph_neighbors_count.
func (p *Process) Graph_neighbors_count(g *comm.GraphTopology, rank int, n Ref) error {
	list, err := g.Neighbors(rank)
	if err != nil {
		return err
	}
	n.Set(len(list))
	return nil
}

// Graph_neighbors is MPI_Graph_neighbors.
func (p *Process) Graph_neighbors(g *comm.GraphTopology, rank, room int, out Ints) error {
	list, err := g.Neighbors(rank)
	if err != nil {
		return err
	}
	fill(out, list, room)
	return nil
}

// Graph_map is MPI_Graph_map: ranks are not reordered.
func (p *Process) Graph_map(c Comm, nodes int, index, edges Ints, rank Ref) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	if nodes <= 0 {
		return fail(ERR_ARG, "%d nodes", nodes)
	}
	return placed(on, nodes, rank)
}

// weights are n weights, nil if the program has given none.
func weights(a Ints, n int) []int {
	if a.Is(UNWEIGHTED) {
		return nil
	}
	if a.Is(WEIGHTS_EMPTY) || a.Nil() {
		return []int{}
	}
	return a.Copy(n)
}

// Dist_graph_create_adjacent is MPI_Dist_graph_create_adjacent.
func (p *Process) Dist_graph_create_adjacent(c Comm, in int, sources, sourceWeights Ints,
	out int, dests, destWeights Ints, info Info, reorder int, made Ptr[Comm]) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	if in < 0 || out < 0 {
		return fail(ERR_ARG, "%d edges in and %d out", in, out)
	}
	if _, err := p.hints(info); err != nil {
		return err
	}
	own := comm.Neighbors{
		Sources: sources.Copy(in), SourceWeights: weights(sourceWeights, in),
		Destinations: dests.Copy(out), DestinationWeights: weights(destWeights, out),
	}
	g, err := comm.DistGraphCreateAdjacent(on.c, own)
	if err != nil {
		return classed(err, ERR_ARG)
	}
	return p.adoptGraph(g, on, own.SourceWeights != nil || own.DestinationWeights != nil, made)
}

// adoptGraph gives a graph a handle.
func (p *Process) adoptGraph(g *comm.DistGraph, from *communicator, weighted bool, made Ptr[Comm]) error {
	p.adopt(g.Comm, from, made).weighted = weighted
	return nil
}

// Dist_graph_create is MPI_Dist_graph_create.
func (p *Process) Dist_graph_create(c Comm, n int, sources, degrees, dests, edgeWeights Ints, info Info, reorder int,
	made Ptr[Comm]) error {
	on, err := p.intra(c)
	if err != nil {
		return err
	}
	if n < 0 {
		return fail(ERR_ARG, "%d sources", n)
	}
	if _, err := p.hints(info); err != nil {
		return err
	}
	weighted := !edgeWeights.Is(UNWEIGHTED)
	var edges []comm.Edge
	for i := range n {
		if degrees.At(i) < 0 {
			return fail(ERR_ARG, "%d edges of source %d", degrees.At(i), i)
		}
		for range degrees.At(i) {
			e := comm.Edge{Source: sources.At(i), Destination: dests.At(len(edges)), Weight: 1}
			if weighted {
				e.Weight = edgeWeights.At(len(edges))
			}
			edges = append(edges, e)
		}
	}
	g, err := comm.DistGraphCreate(on.c, edges)
	if err != nil {
		return classed(err, ERR_ARG)
	}
	return p.adoptGraph(g, on, weighted, made)
}

// distGraph returns the edges of this rank.
func (p *Process) distGraph(c Comm) (comm.Neighbors, *communicator, error) {
	on, err := p.comm(c)
	if err != nil {
		return comm.Neighbors{}, nil, err
	}
	g, ok := comm.DistGraphOf(on.c)
	if !ok {
		return comm.Neighbors{}, nil, fail(ERR_TOPOLOGY, "%s has no distributed graph topology", on.title())
	}
	return g.Neighbors(), on, nil
}

// Dist_graph_neighbors_count is MPI_Dist_graph_neighbors_count.
func (p *Process) Dist_graph_neighbors_count(c Comm, in, out, weighted Ref) error {
	own, on, err := p.distGraph(c)
	if err != nil {
		return err
	}
	in.Set(len(own.Sources))
	out.Set(len(own.Destinations))
	weighted.SetBool(on.weighted)
	return nil
}

// Dist_graph_neighbors is MPI_Dist_graph_neighbors.
func (p *Process) Dist_graph_neighbors(c Comm, maxIn int, sources, sourceWeights Ints, maxOut int,
	dests, destWeights Ints) error {
	own, on, err := p.distGraph(c)
	if err != nil {
		return err
	}
	fill(sources, own.Sources, maxIn)
	fill(dests, own.Destinations, maxOut)
	if on.weighted {
		fillWeights(sourceWeights, own.SourceWeights, maxIn)
		fillWeights(destWeights, own.DestinationWeights, maxOut)
	}
	return nil
}

func fillWeights(out Ints, values []int, room int) {
	if !out.Is(UNWEIGHTED) && !out.Is(WEIGHTS_EMPTY) && !out.Nil() {
		fill(out, values, room)
	}
}
