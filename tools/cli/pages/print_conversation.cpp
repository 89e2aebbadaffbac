// Parts about what was said: questions and answers, messages and what was extracted from them, rounds.

#include "net/plain_text/cell.hpp"
#include "schema/json/members.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "tools/cli/output/labels.hpp"
#include "tools/cli/output/table.hpp"
#include "tools/cli/pages/print.hpp"
#include "tools/cli/pages/text.hpp"

#include <algorithm>
#include <ostream>
#include <vector>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;

/// Records that were asked for newest first, oldest first.
std::vector<json::object const*> oldest_first(json::object const& answer) {
  std::vector<json::object const*> records;
  for (json::value const& node : schema::json::list_at(answer, "nodes")) records.push_back(&record_in(node));
  std::ranges::reverse(records);
  return records;
}

std::string place_of_citation(json::object const& citation) {
  std::string place = cell(citation, "document_name");
  if (std::string const page = cell(citation, "page_number"); !page.empty()) place += ", page " + page;
  if (std::string const section = cell(citation, "section"); !section.empty()) place += ", " + section;
  if (std::string const chunk = cell(citation, "chunk_id"); !chunk.empty()) place += "  RetrievedChunk:" + chunk;
  return place;
}

void print_citations(json::array const& citations, Io& io) {
  if (citations.empty()) return;
  print_heading("citations", io);
  std::size_t number = 0;
  for (json::value const& item : citations) {
    if (!item.is_object()) continue;
    print_lines("[" + std::to_string(++number) + "] " + place_of_citation(item.get_object()), "", io);
    print_lines(cell(item.get_object(), "excerpt"), "    ", io);
  }
}

void print_retrieved(json::array const& chunks, Io& io) {
  if (chunks.empty()) return;
  print_heading("retrieved", io);
  Table table{{{"RANK", Align::right}, {"SIMILARITY", Align::right}, {"REF"}, {"CONTENT"}}};
  for (json::value const& item : chunks) {
    if (!item.is_object()) continue;
    json::object const& chunk = item.get_object();
    json::object as_node = {{"record", chunk}};
    as_node["record"].get_object()["$type$"] = "RetrievedChunk";
    table.add({cell(chunk, "rank"), cell(chunk, "similarity_score"), "RetrievedChunk:" + cell(chunk, "chunk_id"),
               label_of_node(as_node)});
  }
  table.print(io);
}

void print_said(std::string const& who, std::string_view text, Io& io) {
  if (text.empty()) return;
  print_lines(who + ":", "", io);
  print_lines(text, "  ", io);
}

}  // namespace

void print_act(PageNode const& node, json::object const& answer, Io& io) {
  json::object const& given = schema::json::object_at(answer, "answer");
  bool const is_about_query = node.type == schema::RecordType::query;  // its own text is the question
  if (!is_about_query) print_text("question", cell(schema::json::object_at(answer, "query"), "question"), io);
  bool const is_said =
      node.type == schema::RecordType::response && cell(node.record, "content") == cell(given, "answer");
  if (!is_said) print_text("answer", cell(given, "answer"), io);
  print_text("no answer", cell(given, "message"), io);
  print_citations(schema::json::list_at(given, "citations"), io);
  print_retrieved(schema::json::list_at(answer, "retrieved_chunks"), io);
  print_text("system prompt", cell(schema::json::object_at(answer, "prompt_context"), "system_prompt"), io);
}

void print_messages(PageNode const&, json::object const& answer, Io& io) {
  auto const messages = oldest_first(answer);
  if (messages.empty()) return;
  print_heading("messages", io);
  if (answer.contains("cursor")) io.data << "(the newest " << messages.size() << ")\n";
  for (json::object const* message : messages) {
    std::string head =
        time_in(*message, "createdAt") + "  " + cell(*message, "role") + "  Message:" + cell(*message, "id");
    print_lines(head, "", io);
    print_lines(cell(*message, "text"), "  ", io);
  }
}

void print_subjects(PageNode const&, json::object const& answer, Io& io) {
  if (schema::json::list_at(answer, "nodes").empty()) return;
  print_heading("subjects", io);
  Table table{{{"NAME"}, {"MESSAGES", Align::right}, {"KEYWORDS"}, {"DESCRIPTION"}}};
  for (json::value const& node : schema::json::list_at(answer, "nodes")) {
    json::object const& subject = record_in(node);
    std::string keywords;
    for (json::value const& keyword : schema::json::list_at(subject, "keywords")) {
      if (keyword.is_string()) keywords += (keywords.empty() ? "" : ", ") + std::string{keyword.get_string()};
    }
    std::string const name = cell(subject, "name");
    table.add({name.empty() ? cell(subject, "id") : name, cell(subject, "messageCount"), keywords,
               cell(subject, "description")});
  }
  table.print(io);
}

void print_keywords(PageNode const&, json::object const& answer, Io& io) {
  if (schema::json::list_at(answer, "nodes").empty()) return;
  print_heading("keywords", io);
  Table table{{{"TERM"}, {"SCORE", Align::right}, {"FREQUENCY", Align::right}}};
  for (json::value const& node : schema::json::list_at(answer, "nodes")) {
    json::object const& keyword = record_in(node);
    table.add({cell(keyword, "term"), cell(keyword, "score"), cell(keyword, "frequency")});
  }
  table.print(io);
  print_whether_more(answer, "whence find Keyword --where topic=ID", io);
}

void print_summaries(PageNode const&, json::object const& answer, Io& io) {
  for (json::value const& node : schema::json::list_at(answer, "nodes")) {
    json::object const& summary = record_in(node);
    bool const is_newest = &node == &schema::json::list_at(answer, "nodes").front();
    // A later version has the text of those before it.
    std::string const added = cell(summary, "increment");
    print_text("summary, version " + cell(summary, "version") + (is_newest ? "" : ": what it added"),
               is_newest || added.empty() ? cell(summary, "content") : added, io);
  }
}

void print_attachments(PageNode const&, json::object const& answer, Io& io) {
  if (schema::json::list_at(answer, "records").empty() && schema::json::list_at(answer, "gone").empty()) return;
  print_heading("XML", io);
  Table table{{{"FORMAT"}, {"MESSAGE"}, {"BYTES", Align::right}, {"REF"}}};
  for (json::value const& item : schema::json::list_at(answer, "records")) {
    if (!item.is_object()) continue;
    json::object const& each = item.get_object();
    table.add({cell(each, "format"), cell(each, "messageId"), cell(each, "size"),
               "XMLMessageAttachment:" + cell(each, "hash")});
  }
  for (json::value const& item : schema::json::list_at(answer, "gone")) {
    if (item.is_object()) table.add({label_of_node(item.get_object()), "", "", cell(item.get_object(), "ref")});
  }
  table.print(io);
}

void print_xml(PageNode const&, json::object const& answer, Io& io) {
  print_text("XML", cell(answer, "xml"), io);
}

void print_discussion(PageNode const&, json::object const& answer, Io& io) {
  for (std::string_view name : {"rounds", "currentRound", "next", "tokenCount"})
    print_fact(name, cell(answer, name), io);
}

void print_rounds(PageNode const&, json::object const& answer, Io& io) {
  auto const rounds = oldest_first(answer);
  if (answer.contains("cursor")) io.data << "\n(the newest " << rounds.size() << " rounds)\n";
  for (json::object const* round : rounds) {
    print_heading("round " + cell(*round, "roundNumber"), io);
    for (schema::Speaker const& speaker : schema::speakers()) {
      json::object const& said = schema::json::object_at(*round, speaker.member);
      print_said(std::string{speaker.name}, cell(said, "content"), io);
    }
    for (std::string_view name : {"questions", "userAnswers"}) print_fact(name, cell(*round, name), io);
  }
}

void print_round_summaries(PageNode const&, json::object const& answer, Io& io) {
  for (json::value const& node : schema::json::list_at(answer, "nodes"))
    print_text("summary through round " + cell(record_in(node), "roundNumber"), cell(record_in(node), "summary"), io);
}

}  // namespace whence::tools
