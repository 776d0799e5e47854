// Package child parses and splits files in child processes, so that a file that
// was made to do harm, or is merely too much, ends a child and not the program.
//
// A child is the program itself, started with a command that calls [Serve]. Its
// environment is empty, its folder is its own and gone once it stands in it, and
// all it has of the system is three pipes. It gets the bytes of a file and
// answers with the text, or gets a text and answers where to cut it. A [Pool]
// starts children, uses them for many documents, and ends one that takes too
// much memory or time, or is not wanted any more. What a child answers is
// checked like anything that strangers send.
//
// # Memory
//
// No limit of the system fits a Go program. RLIMIT_AS counts address space, of
// which Go reserves gigabytes that it never touches, and a control group needs
// rights that a service seldom has. So three things work together: the child's
// collector works harder when three quarters of its memory are used, which keeps
// files that just fit; the pool reads every few milliseconds what the child
// holds, and kills it above the limit; and RLIMIT_DATA, which counts what can be
// written to, ends a child that grows faster than the pool looks. When the
// machine itself runs out of memory, Linux is told to end the child first.
//
// # What a child can't do
//
// On Linux it can't gain privileges (no_new_privs), open, create, change or
// remove a file (Landlock, seccomp), connect or listen (seccomp), start a
// process or signal another (seccomp), write to a file that it was started with,
// or dump its memory; and it dies with the program, even if that is killed. What
// the kernel refuses is left out, and the log says so. Seccomp is used on amd64
// and arm64. RLIMIT_NPROC is not used: it counts all of a user's threads, and a
// Go program needs some. On other systems a child has the empty environment, the
// folder and the limit of time, and ends itself when it has too much memory.
package child
