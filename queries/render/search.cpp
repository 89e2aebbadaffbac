// Snippets are made when a page is written, of the records of that page alone.
#include "queries/render/search.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/render/lists.hpp"
#include "queries/search/snippets.hpp"
#include "schema/search/texts.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>

namespace whence::queries {
namespace {

using SnippetsOf = std::unordered_map<std::uint32_t, std::vector<Snippet>>;

Result<SnippetsOf> read_snippets(View const& view, TextMatches const& found, std::span<TextMatch const> page) {
  std::vector<VertexId> vertices;
  vertices.reserve(page.size());
  for (auto const& each : page) vertices.push_back(each.vertex);
  WordMatch const match(*view.texts, found.sought);
  SnippetsOf snippets;
  Result<void> put;
  auto const read =
      graph::read_those_there(view.snapshot, *view.records, vertices, [&](std::size_t i, schema::Record&& record) {
        put = schema::put_searched_texts(record, *view.records);
        if (!put) return false;
        snippets[schema::number(vertices[i])] = snippets_of(match, record, view.snapshot.id(vertices[i]));
        return true;
      });
  if (!put) return put.error();
  if (!read) return read.error();
  return snippets;
}

void write_snippets(Writer& out, std::vector<Snippet> const& snippets) {
  out.key("snippets").begin_array();
  for (auto const& snippet : snippets) {
    out.begin_object().member("path", snippet.path).key("parts").begin_array();
    for (auto const& part : snippet.parts) {
      out.begin_object().member("text", part.text);
      if (part.is_match) out.member("match", true);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array();
}

}  // namespace

PageSource render(View const& view, TextMatches&& matches, SearchParams const& params) {
  auto const found = std::make_shared<TextMatches const>(std::move(matches));
  auto const write = [view, found, includes = includes_of(params.include)](
                         Writer& out, std::span<TextMatch const> page) -> Result<void> {
    auto const snippets = read_snippets(view, *found, page);
    if (!snippets) return snippets.error();
    return write_nodes(out, view, includes, page, [&](Writer& node, TextMatch const& match) {
      if (match.score) node.member("score", *match.score);
      auto const own = snippets->find(schema::number(match.vertex));
      write_snippets(node, own == snippets->end() ? std::vector<Snippet>{} : own->second);
    });
  };
  PageSource source;
  source.lists = {list_of("nodes", found, found->nodes, write)};
  if (found->is_behind) source.incomplete = Incomplete::index;
  if (found->is_cut) source.incomplete = Incomplete::limit;
  source.write_members = [found](Writer& out) {
    out.member("total", std::uint64_t{found->nodes.size()});
    if (found->is_cut || found->is_behind) out.member("total_is_at_least", true);
    if (found->suggestions.empty()) return;
    out.key("suggestions").begin_array();
    for (auto const& each : found->suggestions) out.value(each);
    out.end_array();
  };
  return source;
}

}  // namespace whence::queries
