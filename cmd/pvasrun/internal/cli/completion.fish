# fish completion for pvasrun
function __pvasrun
	set -l words (commandline -opc) (commandline -ct)
	GO_FLAGS_COMPLETION=1 $words[1] $words[2..] 2>/dev/null
end
complete -c pvasrun -a '(__pvasrun)'
