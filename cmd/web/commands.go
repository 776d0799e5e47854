package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clewhq/clew/internal/config"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/domain/lists"
	"github.com/clewhq/clew/internal/operation"
)

// offer are operations on the program, and what their commands need.
type offer struct {
	rows   []operation.Row[*app]
	person string                                                  // who decides, as recorded
	kinds  []string                                                // of runs that follow from the work of a command that waits
	open   func(context.Context, config.Config, env) (*app, error) // nil opens everything
	then   map[string]func(context.Context, *app) error            // what follows an operation, by its name
}

// offered makes the commands of operations.
type offered struct {
	offer

	env  env
	load func() (config.Config, error)
}

// add adds a command for each operation to the tree of commands below root. What they are gathered under is there.
func (l offered) add(root *cobra.Command) {
	for _, row := range l.rows {
		if row.Own {
			continue
		}
		words := strings.Fields(row.Name)
		parent := root
		for _, word := range words[:len(words)-1] {
			parent = below(parent, word)
		}
		cmd := l.command(row, words[len(words)-1])
		if there := below(parent, cmd.Name()); there != nil { // it can also be run itself
			cmd.AddCommand(there.Commands()...)
			parent.RemoveCommand(there)
		}
		parent.AddCommand(cmd)
	}
}

// below returns the command of a name below another one, or nil.
func below(parent *cobra.Command, name string) *cobra.Command {
	for _, c := range parent.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// command returns the command of an operation.
func (l offered) command(row operation.Row[*app], name string) *cobra.Command {
	given := &given{env: l.env, fields: operation.Fields(row.In), in: reflect.New(row.In)}
	if row.Waits {
		given.fields = slices.DeleteFunc(given.fields, func(f operation.Field) bool { return f.Name == waitField })
	}
	cmd := &cobra.Command{Use: name, Short: row.Short, Long: row.Long, Example: row.Example, Args: given.args()}
	for _, f := range given.fields {
		if f.Arg != "" {
			cmd.Use += " " + f.Arg
		} else if !f.Secret {
			given.flag(cmd, f)
		}
	}
	asJSON, yes := false, false
	if row.Out != reflect.TypeFor[operation.Nothing]() && row.Out != reflect.TypeFor[operation.Made]() {
		jsonFlag(cmd, &asJSON, map[bool]string{true: jsonArray, false: jsonObject}[row.Lists()]+row.JSON)
	}
	if row.Ask != nil {
		cmd.Flags().BoolVar(&yes, "yes", false, "skip the confirmation")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := given.read(cmd, args)
		if err != nil {
			return err
		}
		if server, ok := remoteOf(cmd, l.env); ok {
			return server.carryOut(cmd.Context(), row, in, yes, asJSON)
		}
		return l.carryOut(cmd.Context(), row, in, yes, asJSON)
	}
	return onServer(cmd)
}

// destination returns the output file that an input names, or "" if it names none.
func destination(in any) string {
	of := reflect.ValueOf(in).Elem()
	for _, f := range operation.Fields(of.Type()) {
		if f.To {
			return of.FieldByIndex(f.Index).String()
		}
	}
	return ""
}

// waitField is the field of an input that says how many seconds to wait. A command that waits does so as long as it takes.
const waitField = "wait"

// carryOut opens the library, does what a command is for, unless a person doesn't agree, and prints what came of it.
func (l offered) carryOut(ctx context.Context, row operation.Row[*app], in any, yes, asJSON bool) (err error) {
	a, err := l.opened(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	choose := a.toChange
	if row.Scope.Keeps() {
		choose = a.within
	}
	if ctx, err = choose(domain.WithReader(domain.WithPerson(ctx, l.person), "")); err != nil {
		return err
	}
	a.warnOfEmptied(ctx)
	if row.Ask != nil && !yes {
		if yes, err := l.agreed(ctx, a, row, in); err != nil || !yes {
			return err
		}
	}
	if row.Waits {
		return l.await(ctx, a, row, in, asJSON)
	}
	out, err := row.Do(ctx, a, in)
	if made, ok := out.(operation.Made); ok && err == nil {
		return writeFile(cmp.Or(destination(in), made.Name), l.env.stdout, made.Write)
	}
	if err = errors.Join(l.print(row, out, asJSON, err), err, wrong(out, err)); err != nil {
		return err
	}
	if then := l.then[row.Name]; then != nil {
		return then(ctx, a)
	}
	return nil
}

// await carries out an operation and what it begins, and prints what came of it.
func (l offered) await(ctx context.Context, a *app, row operation.Row[*app], in any, asJSON bool) (err error) {
	here, err := openLocal(ctx, a, l.kinds)
	if err != nil {
		return err
	}
	t := &teller{env: l.env, asJSON: asJSON}
	out, err := seenThrough(ctx, here, row, in, t)
	if err = cmp.Or(err, here.close(ctx)); err != nil {
		return err
	}
	return cmp.Or(t.print(row, out), wrong(out, nil))
}

// wrong returns the error that what was found implies, unless finding it failed.
func wrong(out any, failed error) error {
	if found, ok := out.(operation.Finding); ok && failed == nil {
		return found.Wrong()
	}
	return nil
}

// agreed asks the question of an operation, if it has one.
func (l offered) agreed(ctx context.Context, a *app, row operation.Row[*app], in any) (bool, error) {
	question, err := row.Ask(ctx, a, in)
	if err != nil || question == "" {
		return err == nil, err
	}
	return a.env.said(question)
}

func (l offered) opened(ctx context.Context) (*app, error) {
	cfg, err := l.load()
	if err != nil {
		return nil, err
	}
	if l.open != nil {
		return l.open(ctx, cfg, l.env)
	}
	return open(ctx, cfg, l.env)
}

// print prints the output of an operation. If the operation failed, it prints only a list of what was done before.
func (l offered) print(row operation.Row[*app], out any, asJSON bool, failed error) error {
	if v := reflect.ValueOf(out); failed != nil && (v.Kind() != reflect.Slice || v.Len() == 0) {
		return nil
	}
	if !asJSON {
		return row.Text(l.env.stdout, out)
	}
	if list, ok := out.(interface{ Array() any }); ok {
		out = list.Array()
	}
	return printJSON(l.env.stdout, out)
}

// given reads the struct that an operation takes from the flags and arguments of its command.
type given struct {
	env    env
	fields []operation.Field
	in     reflect.Value
}

// args returns the check of how many arguments there are.
func (g *given) args() cobra.PositionalArgs {
	least, most := 0, 0
	for _, f := range g.fields {
		if f.Missing != "" {
			return oneArgument(f.Missing)
		}
		if f.Arg == "" {
			continue
		}
		if f.Needed {
			least++
		}
		most++
		if f.Several {
			most += 1 << 20
		}
	}
	switch {
	case most == 0:
		return cobra.NoArgs
	case most > 1<<20 && least == 0:
		return cobra.ArbitraryArgs
	case most > 1<<20:
		return cobra.MinimumNArgs(least)
	case least == most:
		return cobra.ExactArgs(most)
	case least == 0:
		return cobra.MaximumNArgs(most)
	}
	return cobra.RangeArgs(least, most)
}

// oneArgument checks that there is one argument, and says what is missing otherwise.
func oneArgument(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] != "" {
			return nil
		}
		return domain.Errorf(domain.Invalid, "%s", missing)
	}
}

// holds annotates a command that only groups others.
const holds = "holds others"

// does reports whether cmd does something itself, besides holding other commands.
func does(cmd *cobra.Command) bool { return cmd.Runnable() && cmd.Annotations[holds] == "" }

// unknownWord returns an error if there are words: those that name a command below cmd never get here.
func unknownWord(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if err := misspelt(cmd, args[0]); err != nil {
		return err
	}
	return domain.Errorf(domain.Invalid, "Unknown command %s %s. %s --help lists the commands.", cmd.CommandPath(), domain.Cut(args[0], domain.MaxTag), cmd.CommandPath())
}

// misspelt returns an error that suggests the command below cmd whose name is nearest to word, or nil if none is near.
func misspelt(cmd *cobra.Command, word string) error {
	names := lists.Map(lists.Filter(cmd.Commands(), (*cobra.Command).IsAvailableCommand), (*cobra.Command).Name)
	near, slip := domain.NearestName(strings.ToLower(word), names)
	if !slip {
		return nil
	}
	return domain.Errorf(domain.Invalid, "Unknown command %s %s. Did you mean %s %s?", cmd.CommandPath(), domain.Cut(word, domain.MaxTag), cmd.CommandPath(), near)
}

// explainUse has a command and those below it answer words and flags that don't fit with how they are called.
func explainUse(root *cobra.Command) {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return domain.Because(domain.Invalid, err, "The flags can't be read: %v. %s --help lists them.", err, cmd.CommandPath())
	})
	for _, cmd := range root.Commands() {
		explainUse(cmd)
		if cmd.HasSubCommands() && !cmd.Runnable() {
			cmd.Args, cmd.RunE = unknownWord, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			cmd.Annotations = map[string]string{holds: "yes", needsNone: "yes"}
		}
		fit := cmd.Args
		if fit == nil {
			continue
		}
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := fit(cmd, args)
			if err == nil && cmd.Annotations[hereAlone] != "" && slices.Contains(args, "") {
				err = errors.New("an argument is empty")
			}
			if _, said := errors.AsType[*domain.Error](err); err == nil || said {
				return err
			}
			if len(args) > 0 {
				if err := misspelt(cmd, args[0]); err != nil {
					return err
				}
			}
			return domain.Because(domain.Invalid, err, "The arguments don't fit. Call it as: %s (%s --help says more).", strings.TrimSuffix(cmd.UseLine(), " [flags]"), cmd.CommandPath())
		}
	}
}

// flag adds the flag of a field.
func (g *given) flag(cmd *cobra.Command, f operation.Field) {
	flags, name := new(cobra.Command).Flags(), f.Flag()
	f.Doc = strings.NewReplacer("{", "`", "}", "`").Replace(f.Doc) // the value's name in the help
	to, kind := g.in.Elem().FieldByIndex(f.Index), f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
		to = reflect.New(kind).Elem() // read sets the field if the flag is given
	}
	switch kind.Kind() {
	case reflect.Bool:
		flags.BoolVar(to.Addr().Interface().(*bool), name, f.Default == "true", f.Doc)
	case reflect.Int:
		n, _ := strconv.Atoi(f.Default)
		flags.IntVar(to.Addr().Convert(reflect.TypeFor[*int]()).Interface().(*int), name, n, f.Doc)
	case reflect.Int64:
		n, _ := strconv.ParseInt(f.Default, 10, 64)
		flags.Int64Var(to.Addr().Interface().(*int64), name, n, f.Doc)
	case reflect.Float64:
		n, _ := strconv.ParseFloat(f.Default, 64)
		flags.Float64Var(to.Addr().Interface().(*float64), name, n, f.Doc)
	case reflect.Slice:
		list := to.Addr().Convert(reflect.TypeFor[*[]string]()).Interface().(*[]string)
		if f.Whole {
			flags.StringArrayVar(list, name, nil, f.Doc)
		} else {
			flags.StringSliceVar(list, name, nil, f.Doc)
		}
	default:
		flags.StringVar(to.Addr().Convert(reflect.TypeFor[*string]()).Interface().(*string), name, f.Default, f.Doc)
	}
	flag := flags.Lookup(name)
	flag.Shorthand = f.Letter
	if f.Type.Kind() == reflect.Pointer && kind.Kind() != reflect.Int {
		flag.DefValue = ""
	}
	cmd.Flags().AddFlag(flag)
	if all := g.like(f, cmd, func(f operation.Field) string { return f.With }); len(all) > 1 {
		cmd.MarkFlagsRequiredTogether(all...)
	}
	if all := g.like(f, cmd, func(f operation.Field) string { return f.Xor }); len(all) > 1 {
		cmd.MarkFlagsMutuallyExclusive(all...)
	}
}

// like returns the flags that are in the same group as a field, so far.
func (g *given) like(f operation.Field, cmd *cobra.Command, group func(operation.Field) string) (names []string) {
	for _, other := range g.fields {
		if group(f) != "" && group(other) == group(f) && cmd.Flags().Lookup(other.Flag()) != nil {
			names = append(names, other.Flag())
		}
	}
	return names
}

// read sets what is not set by the flags, and returns the struct.
func (g *given) read(cmd *cobra.Command, args []string) (any, error) {
	for _, f := range g.fields {
		to := g.in.Elem().FieldByIndex(f.Index)
		switch {
		case f.Secret:
			typed, err := g.env.password()
			if err != nil {
				return nil, err
			}
			to.SetString(typed)
		case f.Arg == "":
			if err := g.optional(cmd, f, to); err != nil {
				return nil, err
			}
		case f.Words:
			to.SetString(strings.Join(args, " "))
			args = nil
		case f.Type == reflect.TypeFor[[]operation.File]():
			to.Set(reflect.ValueOf(filesOf(args)))
			args = nil
		case f.Several:
			to.Set(reflect.ValueOf(args).Convert(to.Type()))
			args = nil
		case len(args) == 0:
		default:
			if err := g.argument(f, to, args[0]); err != nil {
				return nil, err
			}
			args = args[1:]
		}
	}
	return g.in.Interface(), nil
}

// argument sets a field to an argument, or to the content of the file that it names.
func (g *given) argument(f operation.Field, to reflect.Value, arg string) error {
	if f.File != "" {
		most, err := strconv.ParseInt(f.File, 10, 64)
		if err != nil {
			return err
		}
		text, err := readFile(arg, g.env.stdin, most)
		if err != nil {
			return err
		}
		arg = string(text)
	}
	if to.Type() == reflect.TypeFor[operation.File]() {
		to.Set(reflect.ValueOf(filesOf([]string{arg})[0]))
		return nil
	}
	return f.Set(to, arg)
}

// filesOf returns the files of paths.
func filesOf(paths []string) []operation.File {
	files := make([]operation.File, len(paths))
	for i, path := range paths {
		files[i] = operation.File{Name: filepath.Base(path), Open: func() (io.ReadCloser, error) {
			file, err := os.Open(path)
			if err != nil {
				return nil, domain.Because(domain.NotFound, err, "The file can't be read: %v.", err)
			}
			return file, nil
		}}
	}
	return files
}

// optional sets a field that tells whether its flag is given, or that a file is read into.
func (g *given) optional(cmd *cobra.Command, f operation.Field, to reflect.Value) error {
	flag := cmd.Flags().Lookup(f.Flag())
	if f.At != "" {
		return g.fromFiles(f, to)
	}
	if f.Type.Kind() != reflect.Pointer || !flag.Changed {
		return nil
	}
	if f.File == "" {
		return f.Set(to, flag.Value.String())
	}
	to.Set(reflect.New(f.Type.Elem()))
	return g.argument(f, to.Elem(), flag.Value.String())
}

// fromFiles puts the texts of files in place of their names in the values of a list.
func (g *given) fromFiles(f operation.Field, to reflect.Value) error {
	most, err := strconv.ParseInt(f.At, 10, 64)
	if err != nil {
		return err
	}
	for i := range to.Len() {
		field, name, file := strings.Cut(to.Index(i).String(), "=@")
		if !file || strings.Contains(field, "=") {
			continue
		}
		text, err := readFile(name, g.env.stdin, most)
		if err != nil {
			return domain.Because(domain.KindOf(err), err, "The file of %s can't be read: %s", field, domain.InWords(err))
		}
		to.Index(i).SetString(field + "=" + string(text))
	}
	return nil
}

// A gathering is a command that holds others.
type gathering struct{ name, short, long, example string }

// gather adds commands that hold others to the tree below root.
func gather(root *cobra.Command, all []gathering) {
	for _, one := range all {
		words := strings.Fields(one.name)
		parent := root
		for _, word := range words[:len(words)-1] {
			parent = below(parent, word)
		}
		parent.AddCommand(&cobra.Command{Use: words[len(words)-1], Short: one.short, Long: one.long, Example: one.example})
	}
}

// flagsOf adds the flags of a struct with the tags of an operation's to a command that is written by hand, without some of
// its fields. What is given by its place is left to the command. The returned function sets the fields that tell whether
// their flag was given.
func flagsOf[In any](cmd *cobra.Command, in *In, without ...string) func() error {
	g := &given{fields: operation.Fields(reflect.TypeFor[In]()), in: reflect.ValueOf(in)}
	g.fields = slices.DeleteFunc(g.fields, func(f operation.Field) bool { return f.Arg != "" || slices.Contains(without, f.Name) })
	for _, f := range g.fields {
		g.flag(cmd, f)
	}
	return func() error {
		for _, f := range g.fields {
			if err := g.optional(cmd, f, g.in.Elem().FieldByIndex(f.Index)); err != nil {
				return err
			}
		}
		return nil
	}
}

// said asks a yes-or-no question on the terminal, and reports whether the answer is yes.
func (s env) said(question string) (bool, error) {
	fmt.Fprint(s.stdout, question+" [y/N] ")
	said, err := bufio.NewReader(io.LimitReader(s.stdin, maxKey)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(said))), nil
}
