package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clewhq/clew/internal/domain"
)

// Explain gives an error of Postgres a kind and a sentence: Exhausted for a full
// disk, Unavailable for a server that is busy or does not answer, Invalid for a
// wrong account or database. It returns other errors, and nil, unchanged.
func Explain(err error) error {
	if err == nil || domain.KindOf(err) != domain.Internal || errors.Is(err, context.Canceled) {
		return err
	}
	if own, ok := errors.AsType[*pgconn.PgError](err); ok {
		if kind, sentence := meaning(own.Code); sentence != "" {
			return domain.Because(kind, err, "%s", sentence)
		}
		return err
	}
	switch text := err.Error(); {
	case strings.Count(text, "server refused TLS connection") >= max(1, strings.Count(text, "\n")): // if not, another line gives the reason
		return domain.Because(domain.Invalid, err, "The Postgres server at DATABASE_URL takes no encrypted connections. Write sslmode=disable in DATABASE_URL, or turn on ssl in the server.")
	case strings.Contains(text, "x509: "):
		return domain.Because(domain.Invalid, err, "The certificate of the Postgres server at DATABASE_URL is not trusted here. Name its authority by sslrootcert in DATABASE_URL.")
	}
	if unreachable(err) {
		return domain.Because(domain.Unavailable, err, "The Postgres server at DATABASE_URL does not answer. Work in progress continues when it is back.")
	}
	return err
}

// meaning explains an error code (Postgres manual, appendix A). The sentence is ""
// for a fault of the program.
func meaning(code string) (domain.Kind, string) {
	switch {
	case code == "53100" || code == "58030":
		return domain.Exhausted, "The disk of the Postgres server is full. Free some space and try again; nothing was half-written."
	case code == "53300":
		return domain.Unavailable, "The Postgres server has no connections left. Raise its max_connections, or run fewer replicas."
	case strings.HasPrefix(code, "57P") || strings.HasPrefix(code, "08"):
		return domain.Unavailable, "The Postgres server is stopping or starting. Work in progress continues when it is back."
	case strings.HasPrefix(code, "53"):
		return domain.Unavailable, "The Postgres server is short of memory or another resource. See its log, and try again in a moment."
	case code == "25006":
		return domain.Unavailable, "The Postgres server at DATABASE_URL is read-only. Set DATABASE_URL to the one that takes writes, or wait until this one does."
	case code == "57014" || code == "55P03" || conflicts(code):
		return domain.Unavailable, "The Postgres server was too busy for this. Try again in a moment."
	case code == "28000":
		return domain.Invalid, "The Postgres server takes no such connection: its pg_hba.conf lists accounts, databases, addresses and whether connections are encrypted. Where DATABASE_URL says sslmode=disable, try sslmode=require."
	case strings.HasPrefix(code, "28"):
		return domain.Invalid, "The Postgres server rejects the account of DATABASE_URL. Check its name and password."
	case code == "3D000":
		return domain.Invalid, "The database that DATABASE_URL names does not exist. Create it with createdb, or name another."
	case code == "42501":
		return domain.Invalid, "The account of DATABASE_URL lacks the rights for this in the database. It must own the database or its schema."
	}
	return domain.Internal, ""
}

// conflicts reports whether Postgres aborted a transaction in favour of another.
func conflicts(code string) bool { return code == "40001" || code == "40P01" }

func again(err error) bool {
	own, ok := errors.AsType[*pgconn.PgError](err)
	return ok && conflicts(own.Code)
}

// unreachable reports whether there is no connection, or it broke.
func unreachable(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok && !errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	broken := []error{driver.ErrBadConn, sql.ErrConnDone, pgconn.ErrConnClosed, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed}
	return slices.ContainsFunc(broken, func(target error) bool { return errors.Is(err, target) })
}
