#pragma once
// Documents that a retrieval found or a tool's result has, whatever their members are called.

#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

/// The passage that an object is: named by an address or a path, at its top or in its metadata, then by its id, then by
/// its file name or title.
[[nodiscard]] Passage passage_of(boost::json::object const& document);

/// Adds the passages that a vector store's span has in its events. What these say beside them, by the event's name and
/// its number.
[[nodiscard]] AttributeMap read_passage_events(Span const& span, CapturedSpan& out);

/// What was looked for in a memory and, where there are no passages yet, what was found, of a span that has it in its
/// events (Strands). What these say beside the texts, by the event's name and the document's number in all of them.
[[nodiscard]] AttributeMap read_memory_events(Span const& span, CapturedSpan& out);

/// Adds the documents of a retrieval's output: each of a list that has a text, wherever it is from, else as
/// `read_passages`.
void read_found(boost::json::value const& found, CapturedSpan& out);

/// Adds the passages in the JSON of a tool's result: the result itself, or members of its lists; at most
/// `passages_max` in all.
void read_passages(boost::json::value const& value, CapturedSpan& out, int depth = 0);

}  // namespace whence::net::capture
