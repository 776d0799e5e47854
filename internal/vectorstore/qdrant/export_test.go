package qdrant

import "github.com/qdrant/go-client/qdrant"

// Connect is a plain client with the options of a store.
func Connect(o Options) (*qdrant.Client, error) {
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	return qdrant.NewClient(config)
}
