package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/capi/api"
)

// aimed is a table with one function and its target, and with the methods of package capi.
func aimed(t *testing.T, name, text string) *table {
	t.Helper()
	all, err := load(root)
	require.NoError(t, err)
	delete(all.methods, name)
	for _, f := range all.functions {
		if f.Name == name {
			f.Target = text
			all.functions = []api.Function{f}
			return all
		}
	}
	t.Fatal("the ABI has no function ", name)
	return nil
}

// TestTargetsBecomeMethods: what each part of the notation becomes.
func TestTargetsBecomeMethods(t *testing.T) {
	for _, c := range []struct{ name, target, method string }{
		{"Comm_rank", "rank = comm(c).c.Rank()", `(c Comm, rank Ref) error {
	o1, err := p.comm(c)
	if err != nil {
		return err
	}
	rank.Set(int(o1.c.Rank()))
	return nil
}`},
		{"Comm_create", "newcomm, error = comm(c).c.Create(group(group))",
			`(c Comm, group Group, newcomm Ptr[Comm]) error {
	o1, err := p.comm(c)
	if err != nil {
		return err
	}
	o2, err := p.group(group)
	if err != nil {
		return err
	}
	v1, err := o1.c.Create(o2)
	return p.made(v1, err, o1, newcomm)
}`},
		{"Group_union", "newgroup = group(group1).Union(group(group1))",
			`(group1 Group, group2 Group, newgroup Ptr[Group]) error {
	o1, err := p.group(group1)
	if err != nil {
		return err
	}
	newgroup.Set(p.newGroup(o1.Union(o1)))
	return nil
}`},
		{"Cart_shift", "rank_source, rank_dest, error = cart(c).Shift(direction, disp)",
			`(c Comm, direction int, disp int, rank_source Ref, rank_dest Ref) error {
	o1, err := p.cart(c)
	if err != nil {
		return err
	}
	v1, v2, err := o1.Shift(direction, disp)
	if err != nil {
		return err
	}
	rank_source.Set(int(v1))
	rank_dest.Set(int(v2))
	return nil
}`},
		{"Type_size", "size = typeOf(t).Size()", `(t Type, size Ref) error {
	o1, err := p.typeOf(t)
	if err != nil {
		return err
	}
	size.SetCount(int(o1.Size()))
	return nil
}`},
		{"Barrier", "error = p.barrier(k, ...)", `(k *collective, c Comm) error {
	return p.barrier(k, c)
}`},
		{"Type_contiguous", "error = contiguous(form, f(g(...)...))",
			`(count int, oldtype Type, newtype Ptr[Type], form Form) error {
	return contiguous(form, f(g(count, oldtype, newtype)...))
}`},
		{"Comm_delete_attr", "intra(c)", `(c Comm, comm_keyval int) error {
	_, err := p.intra(c)
	return err
}`},
		{"Comm_set_attr", "set(&comm(c).name, list[language], with{attribute_val, c})",
			`(c Comm, comm_keyval int, attribute_val Address, language Language) error {
	o1, err := p.comm(c)
	if err != nil {
		return err
	}
	set(&o1.name, list[language], with{attribute_val, c})
	return nil
}`},
	} {
		text, err := methods(aimed(t, c.name, c.target))
		require.NoError(t, err, c.target)
		_, method, _ := strings.Cut(string(text), "func (p *Process) "+c.name)
		require.Equal(t, c.method, strings.TrimSpace(method))
	}
}

func TestWrongTargetsAreRefused(t *testing.T) {
	for target, says := range map[string]string{
		"nothing = comm(c).c.Rank()":     "nothing is no argument that a result can be written to",
		"c = comm(c).c.Rank()":           "c is no argument",
		"error, rank = comm(c).c.Rank()": "the error is not the last",
		"rank = comm(c":                  "gen: read the target of Comm_rank",
	} {
		require.ErrorContains(t, aimed(t, "Comm_rank", target).addTargets(), says)
	}
	for _, target := range []string{"newcomm = comm(c).c", "newcomm, error = p.world.c.Dup()"} {
		require.ErrorContains(t, aimed(t, "Comm_dup", target).addTargets(), "is made from an object of the call")
	}
	twice := aimed(t, "Comm_rank", "rank = 1")
	twice.methods["Comm_rank"] = method{name: "Comm_rank"}
	require.ErrorContains(t, twice.addTargets(), "Process has a method of this name")
}
