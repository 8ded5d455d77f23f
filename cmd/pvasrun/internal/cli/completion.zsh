#compdef pvasrun
_pvasrun() {
	local -a items
	items=(${(f)"$(GO_FLAGS_COMPLETION=1 "${words[1]}" "${(@)words[2,CURRENT]}" 2>/dev/null)"})
	if (( $#items )); then
		compadd -a items
	else
		_files
	fi
}
compdef _pvasrun pvasrun
# the first call of a function from fpath only reads this file
if [[ ${funcstack[1]} == _pvasrun ]]; then
	_pvasrun
fi
