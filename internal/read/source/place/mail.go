package place

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/clewhq/clew/internal/domain"
	"github.com/clewhq/clew/internal/read/crawl"
	"github.com/clewhq/clew/internal/read/source"
)

// Mail follows a folder of a mail box by IMAP. It only reads: nothing is marked as seen. An item is a message.
type Mail struct{ Network *crawl.Fetcher }

// Traits implements source.Kind.
func (Mail) Traits() source.Traits { return source.Traits{Complete: true, Locks: true} }

const inbox = "INBOX"

// Check implements source.Kind.
func (m Mail) Check(ctx context.Context, p source.Place) (source.Place, error) {
	u, err := url.Parse(strings.TrimSpace(p.Address))
	if err == nil && u.Scheme == "" {
		u, err = url.Parse("imaps://" + strings.TrimSpace(p.Address))
	}
	switch {
	case err != nil || u.Scheme != "imaps" && u.Scheme != "imap" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		return p, domain.Because(domain.Invalid, err, "%q is not the address of a mail box. Write imaps://mail.example.org.", domain.Cut(p.Address, 100))
	case u.User != nil:
		return p, domain.Errorf(domain.Invalid, "The address contains a name or a password, which would be shown. Give them in their own fields.")
	case u.Scheme == "imap" && !loopback(u.Hostname()):
		return p, domain.Errorf(domain.Invalid, "A password would be sent unencrypted. Write imaps:// in place of imap://.")
	case p.Rules.User == "" || len(p.Rules.User) > 300:
		return p, domain.Errorf(domain.Invalid, "Say with which name to sign in at the mail box.")
	}
	p.Rules.Folder = cmp.Or(p.Rules.Folder, inbox)
	p.Address = (&url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}).String()
	return p, m.Network.Reach(ctx, u.Hostname())
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// What is read of a mail box at once.
const (
	mailTimeout  = 2 * time.Minute
	mailPart     = 500     // messages whose headers are listed at once
	mailListing  = 8 << 20 // bytes of the headers in a part
	mailOverhead = 1 << 20 // bytes in addition to a message
)

// with calls f with the folder of a place, opened read-only. It reads at most most bytes.
func (m Mail) with(ctx context.Context, p source.Place, most int64, f func(c *imapclient.Client, folder string, validity uint32) error) (err error) {
	u, err := url.Parse(p.Address)
	if err != nil {
		return err
	}
	port := cmp.Or(u.Port(), map[string]string{"imaps": "993", "imap": "143"}[u.Scheme])
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	conn, err := m.Network.Dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return unreached(ctx, u.Host, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if u.Scheme == "imaps" {
		conn = tls.Client(conn, &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12})
	}
	c := imapclient.New(&bounded{Conn: conn, left: most}, nil)
	defer func() { _ = c.Close() }() // the data has arrived, or never will
	if err := c.WaitGreeting(); err != nil {
		return unreached(ctx, u.Host, err)
	}
	if err := c.Login(p.Rules.User, p.Secret).Wait(); err != nil {
		if _, said := errors.AsType[*imap.Error](err); said {
			return domain.Because(domain.Forbidden, err, "%s refuses the password of %s. Give the password that programs may use.", u.Host, p.Rules.User)
		}
		return unreached(ctx, u.Host, err)
	}
	box, err := c.Select(p.Rules.Folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		if _, said := errors.AsType[*imap.Error](err); said {
			return domain.Because(domain.Invalid, err, "The mail box has no folder %s.", p.Rules.Folder)
		}
		return unreached(ctx, u.Host, err)
	}
	if err := f(c, p.Rules.Folder, box.UIDValidity); err != nil {
		return unreached(ctx, u.Host, err)
	}
	return nil
}

// unreached explains why a mail box did not answer.
func unreached(ctx context.Context, host string, err error) error {
	if domain.KindOf(err) != domain.Internal || errors.Is(ctx.Err(), context.Canceled) {
		return cmp.Or(ctx.Err(), err)
	}
	return domain.Because(domain.Unavailable, err, "The mail box at %s does not answer as one. The address may be wrong, or the server busy.", host)
}

// bounded is a connection that limits the bytes read from it: a server may send more than was asked for.
type bounded struct {
	net.Conn
	left int64
}

// Read reads from the connection.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// List implements source.Kind. at is the number after which the messages of a part begin.
func (m Mail) List(ctx context.Context, p source.Place, at string) (l source.Listing, err error) {
	after, _ := strconv.ParseUint(at, 10, 32) // "" means the beginning
	err = m.with(ctx, p, mailListing, func(c *imapclient.Client, folder string, validity uint32) error {
		found, err := c.UIDSearch(&imap.SearchCriteria{}, nil).Wait()
		if err != nil {
			return err
		}
		uids := slices.DeleteFunc(found.AllUIDs(), func(uid imap.UID) bool { return uint64(uid) <= after })
		slices.Sort(uids)
		if len(uids) > mailPart {
			uids = uids[:mailPart]
			l.Next = strconv.FormatUint(uint64(uids[mailPart-1]), 10)
		}
		if len(uids) == 0 {
			return nil
		}
		heads, err := c.Fetch(imap.UIDSetNum(uids...), &imap.FetchOptions{UID: true, Envelope: true, RFC822Size: true}).Collect()
		for _, head := range heads {
			title := ""
			if head.Envelope != nil {
				title = domain.Cut(domain.OneLine(head.Envelope.Subject), mostTitle)
			}
			if head.RFC822Size > m.Network.MaxBytes {
				l.LeftOut++
				continue
			}
			uid := fmt.Sprintf("%d/%d", validity, head.UID)
			l.Items = append(l.Items, source.Item{Name: folder + "/" + uid, Stamp: uid, Size: head.RFC822Size, Title: title})
		}
		return err
	})
	return l, err
}

// Open implements source.Kind.
func (m Mail) Open(ctx context.Context, p source.Place, i source.Item, _ string) (c source.Content, err error) {
	rest, _ := strings.CutPrefix(i.Name, p.Rules.Folder+"/")
	validity, number, _ := strings.Cut(rest, "/")
	uid, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return c, domain.Because(domain.NotFound, err, "There is no message %s.", i.Name)
	}
	whole := &imap.FetchItemBodySection{Peek: true}
	err = m.with(ctx, p, m.Network.MaxBytes+mailOverhead, func(client *imapclient.Client, _ string, now uint32) error {
		found, err := client.Fetch(imap.UIDSetNum(imap.UID(uid)), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{whole}}).Collect()
		if err != nil {
			return err
		}
		if len(found) == 0 || strconv.FormatUint(uint64(now), 10) != validity {
			return domain.Errorf(domain.NotFound, "There is no message %s any more.", i.Name)
		}
		c = source.Content{Name: mailName(i), Source: domain.SourceMail, Stamp: rest, Body: inMemory(found[0].FindBodySection(whole))}
		return nil
	})
	return c, err
}

// mailName names the file of a message by its subject.
func mailName(i source.Item) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return ' '
		}
		return r
	}, domain.Cut(i.Title, 120))
	return cmp.Or(domain.OneLine(name), "Message "+i.Name[strings.LastIndex(i.Name, "/")+1:]) + ".eml"
}
