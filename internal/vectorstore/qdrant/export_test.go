package qdrant

import (
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
)

// Connect returns a plain client with a store's options.
func Connect(o Options) (*qdrant.Client, error) {
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	return qdrant.NewClient(config)
}

// Through returns options with which calls are carried out by i instead of a
// server.
func (o Options) Through(i grpc.UnaryClientInterceptor) Options {
	o.dial = append(o.dial, grpc.WithChainUnaryInterceptor(i))
	return o
}
