// Tiles are read from the tree; entries are made from the log again.

#include "net/pages/log_pages.hpp"

#include "net/state/service_state.hpp"
#include "schema/proof/tile.hpp"

#include <algorithm>
#include <string>

namespace whence::net {
namespace {

namespace http = boost::beast::http;
using http::field;
using http::status;

constexpr std::size_t entry_bytes_max = 65'535;  ///< its length has two bytes

/// The entries `first` to `first + count - 1`, each after its length.
Result<std::string> read_entries(TransparencyLog const& log, std::uint64_t first, std::uint64_t count) {
  std::string bytes;
  auto const& tree = log.tree();
  for (auto index = first; index < first + count;) {
    auto const tx = tree.tx_of(index);
    auto const begin = tree.size_after(schema::TxId{schema::number(tx) - 1});
    auto const read = log.read_leaves(tx);
    if (!read) return read.error();
    auto const end = std::min(first + count, begin + read->leaves.leaves.size());
    if (end <= index) return Error{Errc::corrupt, "the log's events are not those of its tree"};
    for (; index < end; ++index) {
      auto const line = read->leaves.line(index - begin);
      if (line.size() > entry_bytes_max) {
        return Error{Errc::limit_exceeded,
                     "entry " + std::to_string(index) + " has more bytes than a tile can say: log.proof has it"};
      }
      bytes.push_back(static_cast<char>(line.size() >> 8U));
      bytes.push_back(static_cast<char>(line.size() & 0xFFU));
      bytes.append(line);
    }
  }
  return bytes;
}

}  // namespace

HttpAnswer log_checkpoint_page(ServerShared const& /*shared*/, Namespace const& where, std::string_view /*rest*/) {
  auto const checkpoint = where.service->state().transparency->checkpoint();
  if (checkpoint.note.empty()) return error_answer(status::service_unavailable, "the tree over events is being made");
  HttpAnswer answer{.body = where.service->state().cosignatures.added_to(checkpoint.note),
                    .content_type = "text/plain; charset=utf-8"};
  answer.fields.emplace_back(field::cache_control, "no-cache");
  return answer;
}

HttpAnswer log_tile_page(ServerShared const& /*shared*/, Namespace const& where, std::string_view rest) {
  auto const& log = *where.service->state().transparency;
  if (log.checkpoint().note.empty())
    return error_answer(status::service_unavailable, "the tree over events is being made");
  auto const path = schema::proof::parse_tile("tile/" + std::string{rest});
  if (!path)
    return error_answer(status::not_found, "a tile is LEVEL/N or entries/N, with .p/WIDTH where it is partial");
  auto const count = log.tree().count(path->level.value_or(0));
  if (schema::proof::tile_width_in(count, 0, path->index) < path->width)
    return error_answer(status::not_found, "no such tile yet");
  HttpAnswer answer{.content_type = "application/octet-stream", .is_foreign = true};
  auto const first = path->index * schema::proof::tile_width;
  if (!path->level) {
    auto read = read_entries(log, first, path->width);
    if (!read) return error_answer(status::internal_server_error, read.error().message);
    answer.body = std::move(*read);
  } else {
    answer.body = log.tree().nodes(*path->level, first, path->width);
  }
  answer.fields.emplace_back(field::cache_control, "private, immutable");
  return answer;
}

}  // namespace whence::net
