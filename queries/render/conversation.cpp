// Members and lists of the answers about attachments, summaries and templates.

#include "queries/render/conversation.hpp"

#include "queries/render/lists.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace whence::queries {
namespace {

/// A record with its hash among its members.
void write_hashed(Writer& out, schema::Record&& record, Snapshot const& snapshot) {
  auto const hash = std::get<schema::XmlMessageAttachment>(record).hash;
  write_record(out, std::move(record), snapshot);
  out.out().pop_back();  // the record's closing brace
  out.out().append(",\"hash\":\"").append(hash).append("\"}");
}

/// Absent where there is nothing to divide by.
void write_ratio(Writer& out, std::string_view name, std::int64_t part, double whole) {
  if (whole > 0) out.member(name, static_cast<double>(part) / whole);
}

void write_average(Writer& out, std::string_view name, FormatSizes const& sizes) {
  write_ratio(out, name, sizes.bytes, static_cast<double>(sizes.count));
}

void write_sizes(Writer& out, AttachmentSizes const& sizes) {
  FormatSizes all;
  for (FormatSizes const& each : sizes.by_format) {
    all.count += each.count;
    all.bytes += each.bytes;
  }
  write_average(out, "average_size", all);
  out.key("average_sizes").begin_object();
  for (auto const format : {schema::XmlFormat::llm_query, schema::XmlFormat::llm_response}) {
    write_average(out, schema::name_of(format), sizes.by_format.at(static_cast<std::size_t>(format)));
  }
  out.end_object().member("markup_bytes", sizes.markup_bytes);
  write_ratio(out, "xml_overhead", sizes.markup_bytes, static_cast<double>(all.bytes));
}

/// One record as the member `name`.
PageSource record_member(View const& view, std::string_view name, schema::Record&& record) {
  return {.write_members = [view, name, record = std::move(record)](Writer& out) {
    out.key(name);
    write_record(out, schema::Record(record), view.snapshot);
  }};
}

}  // namespace

PageSource render(View const& view, Attachment&& attachment, AttachmentGetParams const& /*params*/) {
  auto const found = std::make_shared<Attachment const>(std::move(attachment));
  return {.write_members = [view, found](Writer& out) {
    auto const& record = found->record;
    out.member("hash", std::string_view(record.hash)).key("record");
    write_record(out, schema::Record(record), view.snapshot);
    out.member("xml", std::string_view(found->xml));
    if (record.response_id) out.member("responseId", std::string_view(*record.response_id));
  }};
}

PageSource render(View const& view, XmlContext&& found, XmlContextParams const& /*params*/) {
  return {.write_members = [view, context = std::move(found.context), gone = std::move(found.gone)](Writer& out) {
    auto const write_items = [&out](std::string_view name, std::vector<std::string> const& items) {
      out.key(name).begin_array();
      for (std::string const& item : items) out.value(std::string_view(item));
      out.end_array();
    };
    out.key("context").begin_object().member("topicId", std::string_view(context.topic_id));
    out.member("messageCount", context.message_count);
    write_items("activeSubjects", context.active_subjects);
    write_items("recentKeywords", context.recent_keywords);
    out.end_object();
    write_gone_nodes(out, view.snapshot, gone);
  }};
}

PageSource render(View const& view, AttachmentList&& list, AttachmentListParams const& params) {
  auto const found = std::make_shared<AttachmentList const>(std::move(list));
  PageSource source{.write_members = [view, found](Writer& out) {
    out.member("count", std::uint64_t{found->attachments.size()}).member("total_size", found->total_size);
    if (found->sizes) write_sizes(out, *found->sizes);
    write_gone_nodes(out, view.snapshot, found->gone);
  }};
  if (params.count_only) return source;
  auto const write = [view](Writer& out, std::span<VertexId const> page) {
    return read_whole(view, page, [&](std::size_t i, graph::Said&& said) {
      if (auto* const record = said.find()) {
        write_hashed(out, std::move(*record), view.snapshot);
      } else {  // since it was found
        out.begin_object();
        write_identity(out, view.snapshot, page[i]);
        write_gone(out, *said.gone());
        out.end_object();
      }
      return true;
    });
  };
  source.lists = {list_of("records", found, found->attachments, write)};
  return source;
}

PageSource render(View const& view, schema::Summary&& summary, SummaryGetParams const& /*params*/) {
  return record_member(view, "summary", std::move(summary));
}

PageSource render(View const& view, schema::SystemPromptTemplate&& prompt, TemplateActiveParams const& /*params*/) {
  return record_member(view, "template", std::move(prompt));
}

PageSource render(View const& view, TemplateList&& list, TemplateListParams const& /*params*/) {
  auto const found = std::make_shared<TemplateList const>(std::move(list));
  return {.lists = {record_list("templates", found, view, found->templates)}};
}

}  // namespace whence::queries
