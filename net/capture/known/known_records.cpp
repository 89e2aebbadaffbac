#include "net/capture/known/known_records.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/trace/facts_json.hpp"
#include "net/capture/trace/refs.hpp"

#include <utility>
#include <variant>

namespace whence::net::capture {

using schema::NodeRef;

Result<std::optional<schema::Response>> read_response(Traces const& all, NodeRef const& ref) {
  std::optional<schema::Response> found;
  auto const vertex = all.snapshot.find(ref.type, ref.id);
  if (!vertex) return found;
  auto const read =
      graph::read_those_there(all.snapshot, all.reader, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
        found = std::get<schema::Response>(std::move(record));
        return true;
      });
  if (!read) return read.error();
  return found;
}

Result<std::optional<Nanos>> start_of(Traces const& all, SpanName const& call) {
  if (auto const* const facts = all.find(call)) return facts->start;
  std::optional<Nanos> start;
  auto const span = span_ref(call);
  auto const vertex = all.snapshot.find(span.type, span.id);
  if (!vertex) return start;
  auto const read =
      graph::read_those_there(all.snapshot, all.reader, {&*vertex, 1}, [&](std::size_t, schema::Record&& record) {
        auto const* const activity = std::get_if<schema::ProvActivity>(&record);
        auto const facts = activity != nullptr ? span_facts(*activity) : std::nullopt;
        if (facts) start = facts->start;
        return true;
      });
  if (!read) return read.error();
  return start;
}

Result<std::string> kept_text(Traces const& all, std::optional<std::string> const& text,
                              std::optional<schema::Digest> const& blob) {
  if (text) return *text;
  if (!blob) return std::string{};
  auto kept = all.reader.read_blob(*blob);
  if (!kept && kept.error().code == Errc::purged) return std::string{};
  if (!kept) return kept.error();
  return std::move(*kept).value_or(std::string{});
}

}  // namespace whence::net::capture
