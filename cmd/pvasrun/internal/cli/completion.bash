# bash completion for pvasrun
_pvasrun() {
	local line=${COMP_LINE:0:COMP_POINT} words word
	read -ra words <<<"$line"
	if [[ $line == *[[:space:]] ]]; then
		words+=("")
	fi
	word=${words[-1]}
	mapfile -t COMPREPLY < <(GO_FLAGS_COMPLETION=1 "$1" "${words[@]:1}" 2>/dev/null)
	# bash splits words at "=" and replaces what follows the last one
	if [[ $word == *=* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${word%=*}="}")
	fi
}
complete -o default -F _pvasrun pvasrun
