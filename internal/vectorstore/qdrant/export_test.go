package qdrant

import "github.com/qdrant/go-client/qdrant"

// Connect returns a plain client with a store's options.
func Connect(o Options) (*qdrant.Client, error) {
	config, err := o.config()
	if err != nil {
		return nil, err
	}
	return qdrant.NewClient(config)
}
