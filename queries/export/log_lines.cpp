// The text of an attachment whose record only names a blob is added, because an import could not make the record
// without it.

#include "queries/export/log_lines.hpp"

#include "queries/export/describe.hpp"
#include "queries/live/events.hpp"
#include "queries/render/event_texts.hpp"
#include "queries/view/whole.hpp"
#include "schema/json/writer.hpp"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace whence::exports {
namespace {

using graph::EventOp;

bool is_attachment(queries::View const& view, graph::DeltaEvent const& event) {
  return event.op == EventOp::put && view.snapshot.type(event.vertex) == schema::RecordType::xml_message_attachment;
}

/// Puts the text of an attachment into the object that ends `out`.
Result<void> append_text(queries::View const& view, schema::VertexId attachment, std::string& out) {
  auto const said = queries::read_one(view, attachment);
  if (!said) return said.error();
  auto const* const record = said->find();
  if (record == nullptr) return {};
  auto const text = text_apart(view, std::get<schema::XmlMessageAttachment>(*record));
  if (!text) return text.error();
  if (text->empty()) return {};
  out.pop_back();
  schema::json::append_string(out.append(R"(,"xml":)"), *text);
  out.push_back('}');
  return {};
}

}  // namespace

Result<void> append_lines(Source const& source, Selection const* selection, graph::Delta&& delta, std::string& out) {
  auto view = source.view;
  view.snapshot = view.snapshot.as_of(delta.tx);
  queries::Events const events(view, std::move(delta));
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (selection == nullptr || selection->has(events.event(i).vertex)) wanted.push_back(i);
  }
  Result<void> added;
  auto const end_line = [&](std::uint32_t event) {
    if (is_attachment(view, events.event(event))) added = append_text(view, events.event(event).vertex, out);
    out.push_back('\n');
    return added.has_value();
  };
  auto const written = queries::append_unlinked(events, wanted, {.has_record = true, .has_edges = true}, out, end_line);
  return added ? written : added;
}

}  // namespace whence::exports
