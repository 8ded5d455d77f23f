# The init of node $1, in namespaces of its own inside the rack.
set -e
name=n$1
read -r pid _ </proc/self/stat # /proc is that of the machine: so is the number
hostname "$name"
mount -t proc proc /proc
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/sshd /run/munge
mount --bind /mnt/hosts /etc/hosts
[ ! -e /etc/ssh/ssh_config ] || mount --bind /mnt/ssh_config /etc/ssh/ssh_config
# What ssh runs here is not to wait for what the user's shell does first.
[ ! -e ~/.bashrc ] || mount --bind /dev/null ~/.bashrc
# Programs tell machines apart by these.
cat /proc/sys/kernel/random/uuid >"/mnt/boot_id.$1"
mount --bind "/mnt/boot_id.$1" /proc/sys/kernel/random/boot_id
tr -d - <"/mnt/boot_id.$1" >"/mnt/machine-id.$1"
[ ! -e /etc/machine-id ] || mount --bind "/mnt/machine-id.$1" /etc/machine-id
ip link set lo up
echo "$pid"
exec >/dev/null
trap : CHLD
sleep infinity &
while :; do wait || true; done
