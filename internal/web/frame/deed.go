package frame

import (
	"net/url"
	"reflect"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/clewhq/clew/internal/audit"
	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/operation"
	"github.com/clewhq/clew/internal/web/request"
	"github.com/clewhq/clew/internal/web/respond"
)

// A Form is the handler of a form, with the name of the operation that it carries out.
type Form struct {
	Operation string
	Handle    echo.HandlerFunc
}

// Need fails like [operation.Scope.Check] unless whoever sent a request has a scope.
func Need(c echo.Context, s operation.Scope) error { return s.Check(Session(c).Role) }

// Do returns a form that carries out an operation on a service, if the role of whoever sent it allows that.
// The parameters of the address are the first arguments of the operation, in order; other fields of its input are read from
// the form's fields of the same names. then answers the request. If the operation fails with kind Invalid or Conflict, then
// gets the error, to show the form again or return it; other errors are returned at once.
func Do[S, In, Out any](service S, op operation.Op[S, In, Out], then func(c echo.Context, out Out, refused error) error) Form {
	mine := Mine(service, op, then)
	return Form{op.Name, func(c echo.Context) error {
		if err := Need(c, op.Scope); err != nil {
			return err
		}
		return mine.Handle(c)
	}}
}

// Mine is like Do, for operations on the caller's own things: any signed-in person may submit the form, even without
// the scope that a program needs. The operation itself checks ownership.
func Mine[S, In, Out any](service S, op operation.Op[S, In, Out], then func(c echo.Context, out Out, refused error) error) Form {
	return Form{op.Name, func(c echo.Context) error {
		var in In
		var out Out
		err := read(c, &in)
		if err == nil {
			out, err = op.Do(service, c.Request().Context(), in)
			audit.Carried(c.Request().Context(), op.Name, &in, out)
		}
		if kind := domain.KindOf(err); err != nil && kind != domain.Invalid && kind != domain.Conflict {
			return err
		}
		return then(c, out, err)
	}}
}

// Done returns a handler of results for a form that is not shown again: it returns errors, and otherwise calls done.
func Done[Out any](done func(c echo.Context, out Out) error) func(echo.Context, Out, error) error {
	return func(c echo.Context, out Out, refused error) error {
		if refused != nil {
			return refused
		}
		return done(c, out)
	}
}

// Back returns a form like Do's that is not shown again. It leads to the page in the form's field back, if there is one, and
// otherwise to an address in which a name such as :id stands for the parameter of that name in the address of the form.
func Back[S, In, Out any](service S, op operation.Op[S, In, Out], address string) Form {
	return Do(service, op, Done(func(c echo.Context, _ Out) error {
		to := address
		for i, name := range c.ParamNames() {
			to = strings.ReplaceAll(to, ":"+name, url.PathEscape(c.ParamValues()[i]))
		}
		return respond.SeeOther(c, request.Local(c.FormValue("back"), to))
	}))
}

// read reads an operation's input from the path and form of a request. A malformed path parameter, such as words instead
// of a number, is not found.
func read(c echo.Context, in any) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	params := c.ParamValues()
	address := map[string][]string{}
	for _, f := range operation.Fields(reflect.TypeOf(in).Elem()) {
		if f.Arg != "" && len(params) > 0 {
			address[f.Name], params = params[:1], params[1:]
		}
	}
	if operation.Fill(in, func(f operation.Field) []string { return address[f.Name] }) != nil {
		return echo.ErrNotFound
	}
	return operation.Fill(in, func(f operation.Field) []string {
		if given := address[f.Name]; given != nil {
			return given
		}
		return filled(f, form)
	})
}

// filled returns the values of a field of a form, which may have the name of the flag. A blank number counts as not
// given.
func filled(f operation.Field, form url.Values) []string {
	values := form[f.Name]
	if values == nil {
		values = form[f.Flag()]
	}
	if k := f.Type.Kind(); len(values) == 1 && values[0] == "" && k != reflect.String && k != reflect.Slice {
		return nil
	}
	return values
}
