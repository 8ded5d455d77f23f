# The init of a rack. Standard input is a pipe whose end is the end of the rack.
set -e
read -r pid _ </proc/self/stat # /proc is that of the machine: so is the number
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/ssh /mnt/slurm
echo "$pid"
trap : CHLD # bash reaps every child that it gets
while read -r _; do :; done
