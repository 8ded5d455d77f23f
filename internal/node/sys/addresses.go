package sys

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// Addresses returns the addresses of this machine's devices, with the networks that they
// are in: those that other machines may use, and those of the loopback.
func Addresses() (list []netip.Prefix, devices []int, err error) {
	table, err := syscall.NetlinkRIB(syscall.RTM_GETADDR, syscall.AF_UNSPEC)
	if err != nil {
		return nil, nil, fmt.Errorf("list addresses: %w", err)
	}
	messages, err := syscall.ParseNetlinkMessage(table)
	if err != nil {
		return nil, nil, fmt.Errorf("list addresses: %w", err)
	}
	for _, m := range messages {
		if m.Header.Type != syscall.RTM_NEWADDR || len(m.Data) < syscall.SizeofIfAddrmsg {
			continue
		}
		bits := int(m.Data[1]) // of struct ifaddrmsg
		attributes, err := syscall.ParseNetlinkRouteAttr(&m)
		if err != nil {
			return nil, nil, fmt.Errorf("list addresses: %w", err)
		}
		if a := localAddress(attributes); a.IsValid() && !a.IsLinkLocalUnicast() {
			list = append(list, netip.PrefixFrom(a, bits))
			devices = append(devices, int(binary.NativeEndian.Uint32(m.Data[4:])))
		}
	}
	return list, devices, nil
}

// localAddress picks the device's own address: IFA_ADDRESS is that of the other end of a
// point-to-point link, where there is an IFA_LOCAL.
func localAddress(attributes []syscall.NetlinkRouteAttr) (a netip.Addr) {
	for _, r := range attributes {
		found, ok := netip.AddrFromSlice(r.Value)
		switch {
		case !ok:
		case r.Attr.Type == syscall.IFA_LOCAL:
			return found
		case r.Attr.Type == syscall.IFA_ADDRESS:
			a = found
		}
	}
	return a
}

// DescribeAddress names the device and the network of an address of this machine, such as
// "eth0, 10.1.0.2/16". It returns the address alone if they are not known.
func DescribeAddress(a netip.Addr) string {
	list, devices, _ := Addresses() // none: then they are not known
	for i, p := range list {
		if name := DeviceName(devices[i]); p.Addr() == a && name != "" {
			return name + ", " + p.String()
		}
	}
	return a.String()
}

// LinkDown tells whether a network device is known not to be connected, or not to be up.
func LinkDown(name string) bool {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq(name)
	if err != nil || unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, request) != nil {
		return false
	}
	const works = unix.IFF_UP | unix.IFF_RUNNING
	return request.Uint16()&works != works
}

// DeviceName returns the name of a network device, and "" if there is none of that number.
func DeviceName(number int) string {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("")
	if err != nil {
		return ""
	}
	request.SetUint32(uint32(number))
	if unix.IoctlIfreq(fd, unix.SIOCGIFNAME, request) != nil {
		return ""
	}
	return request.Name()
}
