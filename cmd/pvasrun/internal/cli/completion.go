package cli

import (
	"errors"
	"fmt"
	"strings"
)

// shells have a script each that asks pvasrun for completions.
var shells = map[string]string{
	"bash": `# bash completion for pvasrun
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
`,
	"zsh": `#compdef pvasrun
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
`,
	"fish": `# fish completion for pvasrun
function __pvasrun
	set -l words (commandline -opc) (commandline -ct)
	GO_FLAGS_COMPLETION=1 $words[1] $words[2..] 2>/dev/null
end
complete -c pvasrun -a '(__pvasrun)'
`,
}

const completionDescription = `Prints a script with which a shell completes the flags and commands of pvasrun. It ` +
	`asks the pvasrun that is called, so it needs no update when flags change.`

// ExecuteCompletion prints the script of a shell.
func ExecuteCompletion(args []string) error {
	if AsksForCommand(args) {
		return Offer([]string{"bash", "zsh", "fish"}, args)
	}
	names, flags := args, []string(nil)
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		names, flags = nil, args
	}
	if err := ParseOnly("pvasrun completion bash|zsh|fish", completionDescription, &struct{}{}, flags); err != nil {
		return err
	}
	if len(names) != 1 || shells[names[0]] == "" {
		return Mistake(errors.New("completion: name one shell: bash, zsh or fish"))
	}
	fmt.Print(shells[names[0]])
	return nil
}
