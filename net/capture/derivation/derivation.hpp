#pragma once
// From captured spans and the graph to records: what net/capture/README.md calls derivation.
//
// Invariants: 1. what is derived is a function of the set of spans, messages and ratings known of a trace, whatever the
// order in which they came, but for what README.md says of causes. 2. a span that is known changes nothing. 3. causes
// of a response come before it: what is made from spans has no cycle.

#include "graph/snapshot/snapshot.hpp"
#include "net/capture/known/derived.hpp"
#include "net/capture/known/plain_spans.hpp"
#include "net/capture/spans/captured.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/checks/embedding_models.hpp"
#include "schema/records/record_reader.hpp"

#include <functional>
#include <span>

namespace whence::net::capture {

/// The records that make the graph hold `captured`, beside what `snapshot` has of the same traces. Ids and hashes of
/// texts are made with `key`. `plain` has the plain spans of earlier requests, and gets those of these. Fails as
/// `RecordReader::read`, and with `busy` soon after `must_end`, which may be empty, says so. O(what is captured, and
/// what is known of its traces).
[[nodiscard]] Result<Derived> derive(std::span<Captured const* const> captured, graph::Snapshot const& snapshot,
                                     schema::RecordReader const& reader, schema::EmbeddingModels const& models,
                                     schema::SecretKey const& key, PlainSpans& plain,
                                     std::function<bool()> const& must_end = {});

}  // namespace whence::net::capture
