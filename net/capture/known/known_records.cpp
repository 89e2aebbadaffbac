#include "net/capture/known/known_records.hpp"

#include "graph/snapshot/records.hpp"

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
