package capi

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// callbacks are Go functions that stand for functions of C programs, by their addresses.
var callbacks struct {
	once sync.Once
	mu   sync.Mutex
	f    map[uintptr]func(args []uintptr) uintptr
}

// callback makes a function of the program.
func (c *program) callback(f func(args []uintptr) uintptr) uintptr {
	callbacks.once.Do(func() {
		callbacks.f = map[uintptr]func([]uintptr) uintptr{}
		old := Upcall
		Upcall = func(function uintptr, args []uintptr) uintptr {
			callbacks.mu.Lock()
			f := callbacks.f[function]
			callbacks.mu.Unlock()
			if f == nil {
				return old(function, args)
			}
			return f(args)
		}
	})
	callbacks.mu.Lock()
	defer callbacks.mu.Unlock()
	at := uintptr(0x10000 + 16*len(callbacks.f))
	callbacks.f[at] = f
	return at
}

func TestAttributesOfCommunicators(t *testing.T) {
	onRanks(t, 1, func(c *rank) {
		var deleted []uintptr
		failing, refusing := uintptr(0), uintptr(0)
		key, other := new(int32), new(int32)
		remove := c.callback(func(a []uintptr) uintptr {
			deleted = append(deleted, a[2])
			return failing
		})
		copied := c.callback(func(a []uintptr) uintptr {
			storeWord(a[4], a[3]+1)
			storeInt(a[5], 1, false)
			return refusing
		})
		c.call("MPI_Comm_create_keyval", copied, remove, key, 77)
		c.call("MPI_Comm_create_keyval", nullFunction, remove, other, 0)
		dup, value, flag := new(Comm), new(uintptr), new(int32)
		c.call("MPI_Comm_set_attr", COMM_WORLD, int(*key), 100)
		c.call("MPI_Comm_set_attr", COMM_WORLD, int(*other), 200)
		c.call("MPI_Comm_dup", COMM_WORLD, dup)
		c.call("MPI_Comm_get_attr", *dup, int(*key), value, flag)
		require.Equal(c, []any{uintptr(101), int32(1)}, []any{*value, *flag})
		c.call("MPI_Comm_get_attr", *dup, int(*other), value, flag)
		require.Equal(c, int32(0), *flag)
		c.call("MPI_Comm_set_attr", *dup, int(*key), 102)
		require.Equal(c, []uintptr{101}, deleted)
		failing = ERR_OTHER
		require.Equal(c, ERR_OTHER, c.try("MPI_Comm_free", dup), "the callback fails: nothing is freed")
		failing = 0
		c.call("MPI_Comm_free", dup)
		require.Equal(c, []uintptr{101, 102, 102}, deleted)
		refusing = ERR_OTHER
		for name, args := range map[string][]any{"MPI_Comm_dup": {COMM_WORLD, dup},
			"MPI_Comm_idup": {COMM_WORLD, dup, new(Request)}} {
			*dup = COMM_SELF
			require.Equal(c, ERR_OTHER, c.try(name, args...))
			require.Equal(c, COMM_NULL, *dup, name)
		}
		number := int(*key)
		c.call("MPI_Comm_free_keyval", key)
		require.Equal(c, int32(KEYVAL_INVALID), *key)
		require.Equal(c, ERR_KEYVAL, c.try("MPI_Comm_set_attr", COMM_SELF, number, 1), "the key is freed")
		c.call("MPI_Comm_delete_attr", COMM_WORLD, number)
		require.Equal(c, ERR_KEYVAL, c.try("MPI_Comm_get_attr", COMM_WORLD, number, value, flag))
		c.call("MPI_Comm_get_attr", COMM_WORLD, TAG_UB, value, flag)
		require.Equal(c, 1<<31-1, loadInt(*value, false))
		require.Equal(c, ERR_KEYVAL, c.try("MPI_Comm_set_attr", COMM_WORLD, TAG_UB, 1))
	})
}

func TestErrorCodesOfPrograms(t *testing.T) {
	c := newProgram(t)
	c.p = newProcess()
	class, code, got, text := new(int32), new(int32), new(int32), make([]byte, MAX_ERROR_STRING)
	c.call("MPI_Add_error_class", class)
	c.call("MPI_Add_error_code", int(*class), code)
	c.call("MPI_Add_error_string", int(*code), "lost the plot")
	c.call("MPI_Error_class", int(*code), got)
	require.Equal(c, *class, *got)
	c.call("MPI_Error_string", int(*code), text, got)
	require.Equal(c, "lost the plot", string(text[:*got]))
	require.Equal(c, ERR_ARG, c.try("MPI_Add_error_code", 1<<20, code))
	require.Equal(c, ERR_ARG, c.try("MPI_Remove_error_class", int(*class)), "it has a code")
	for _, of := range []*int32{code, class} {
		remove, other := "MPI_Remove_error_code", "MPI_Remove_error_class"
		if of == class {
			remove, other = other, remove
		}
		c.call("MPI_Add_error_string", int(*of), "a string")
		require.Equal(c, ERR_ARG, c.try(remove, int(*of)), "it has a string")
		c.call("MPI_Remove_error_string", int(*of))
		require.Equal(c, ERR_ARG, c.try("MPI_Remove_error_string", int(*of)), "it has none")
		require.Equal(c, ERR_ARG, c.try(other, int(*of)), "it is the other kind")
		c.call(remove, int(*of))
		require.Equal(c, ERR_ARG, c.try(remove, int(*of)), "it is no more")
	}
	for class := range ERR_ABI + 1 {
		c.call("MPI_Error_class", class, got)
		require.Equal(c, int32(class), *got)
		c.call("MPI_Error_string", class, text, got)
		require.NotZero(c, *got)
	}
}

func TestGroupsAndTopologies(t *testing.T) {
	onRanks(t, 4, func(c *rank) {
		world, part, empty, value := new(Group), new(Group), new(Group), new(int32)
		c.call("MPI_Comm_group", COMM_WORLD, world)
		c.call("MPI_Group_range_incl", *world, 1, []int32{3, 1, -2}, part)
		ranks := make([]int32, 3)
		c.call("MPI_Group_translate_ranks", *world, 3, []int32{1, 2, PROC_NULL}, *part, ranks)
		require.Equal(c, []int32{1, UNDEFINED, PROC_NULL}, ranks)
		c.call("MPI_Group_difference", *part, *world, empty)
		require.Equal(c, GROUP_EMPTY, *empty)
		require.Equal(c, ERR_RANK, c.try("MPI_Group_incl", *world, 1, []int32{4}, part))
		require.Equal(c, ERR_ARG, c.try("MPI_Group_incl", *world, 5, []int32{0, 1, 2, 3}, part))
		require.Equal(c, ERR_ARG, c.try("MPI_Comm_set_name", COMM_WORLD, uintptr(0)))
		require.Equal(c, ERR_ARG, c.try("MPI_Type_set_name", INT, uintptr(0)))
		c.call("MPI_Group_free", part)
		require.Equal(c, ERR_GROUP, c.try("MPI_Group_size", *part, value))

		cart, sub := new(Comm), new(Comm)
		c.call("MPI_Cart_create", COMM_WORLD, 2, []int32{2, 2}, []int32{0, 1}, 0, cart)
		from, to := new(int32), new(int32)
		c.call("MPI_Cart_shift", *cart, 0, 1, from, to)
		if c.me < 2 {
			require.Equal(c, []int32{PROC_NULL, int32(c.me + 2)}, []int32{*from, *to})
		}
		in := make([]int32, 4)
		c.call("MPI_Neighbor_allgather", []int32{int32(c.me)}, 1, INT, in, 1, INT, *cart)
		require.Equal(c, int32(c.me^1), in[2])
		require.Equal(c, int32(c.me^1), in[3])
		c.call("MPI_Cart_sub", *cart, []int32{0, 1}, sub)
		c.call("MPI_Comm_size", *sub, value)
		require.Equal(c, int32(2), *value)
		c.call("MPI_Topo_test", *cart, value)
		require.Equal(c, int32(CART), *value)
		require.Equal(c, ERR_TOPOLOGY, c.try("MPI_Cartdim_get", COMM_WORLD, value))
		require.Equal(c, ERR_DIMS, c.try("MPI_Cart_shift", *cart, 2, 1, from, to))
		many := []int32{1 << 16, 1 << 16, 1 << 16, 1 << 16}
		require.Equal(c, ERR_DIMS, c.try("MPI_Cart_map", COMM_WORLD, 4, many, many, value))
		c.call("MPI_Comm_free", sub)
		c.call("MPI_Comm_free", cart)
		require.Equal(c, ERR_COMM, c.try("MPI_Comm_size", *cart, value))
	})
}

func TestInfoObjects(t *testing.T) {
	c := newProgram(t)
	c.p = newProcess()
	info, flag, value, length := new(Info), new(int32), make([]byte, 64), new(int32)
	c.call("MPI_Info_create", info)
	c.call("MPI_Info_set", *info, "access_style", "random")
	c.call("MPI_Info_get", *info, "access_style", 3, value, flag)
	require.Equal(c, "ran\x00", string(value[:4]))
	*length = 64
	c.call("MPI_Info_get_string", *info, "access_style", length, value, flag)
	require.Equal(c, []any{int32(7), "random\x00"}, []any{*length, string(value[:7])})
	require.Equal(c, ERR_INFO_NOKEY, c.try("MPI_Info_delete", *info, "nothing"))
	require.Equal(c, ERR_INFO_KEY, c.try("MPI_Info_set", *info, "", "x"))
	c.call("MPI_Info_free", info)
	require.Equal(c, INFO_NULL, *info)
	require.Equal(c, ERR_INFO, c.try("MPI_Info_free", info))
}

func TestGeneralizedRequests(t *testing.T) {
	onRanks(t, 1, func(c *rank) {
		var freed []uintptr
		query := c.callback(func(a []uintptr) uintptr {
			Status{a[1]}.SetTag(44)
			return 0
		})
		free := c.callback(func(a []uintptr) uintptr {
			freed = append(freed, a[0])
			return 0
		})
		request, status, flag := make([]Request, 1), make([]int32, 8), new(int32)
		c.call("MPI_Grequest_start", query, free, free, 5, request)
		c.call("MPI_Test", request, flag, status)
		require.Equal(c, int32(0), *flag)
		c.call("MPI_Grequest_complete", request[0])
		c.call("MPI_Wait", request, status)
		require.Equal(c, []any{int32(44), []uintptr{5}, REQUEST_NULL}, []any{status[1], freed, request[0]})
		c.call("MPI_Grequest_start", query, free, free, 6, request)
		handle := request[0]
		c.call("MPI_Request_free", request)
		require.Len(c, freed, 1, "it is not complete")
		c.call("MPI_Grequest_complete", handle)
		require.Equal(c, []uintptr{5, 6}, freed)
	})
}
