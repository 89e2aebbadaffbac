// The table of tools.

#include "net/mcp/tool.hpp"

#include "net/mcp/arguments.hpp"
#include "net/mcp/lineage_tools.hpp"
#include "net/mcp/query_tool.hpp"
#include "net/mcp/record_tool.hpp"
#include "net/mcp/search_tool.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <utility>

namespace whence::net::mcp {
namespace {

constexpr Tool all_tools[] = {
    {"why", "Where something came from",
     "What a record was made from, as a tree from it to its sources, with weights. Takes any ref, such as a Response's "
     "or an Answer's; find one with `search`.",
     R"({"type":"object","required":["ref"],"properties":{
       "ref":{"type":"string","description":"Type:id, as search gives it"},
       "depth":{"type":"integer","minimum":1,"maximum":1000,"description":"edges from the record at most; 6"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":10000,"description":"nodes at most; 60"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, why},
    {"impact", "What else is affected",
     "The responses, answers and extractions that were made from records, directly or not, by the share that these "
     "have in "
     "them.",
     R"({"type":"object","required":["refs"],"properties":{
       "refs":{"type":"array","items":{"type":"string"},"description":"refs of sources, such as Document:faq.md"},
       "cursor":{"type":"string","description":"goes on where an answer ended; give refs again"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"nodes at most; 50"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, impact},
    {"search", "Find records by their words",
     "Records whose text has all words of `text`: what models said, questions, prompts, context units, chunks, "
     "documents, messages, summaries, keywords, feedback, ids.",
     R"({"type":"object","required":["text"],"properties":{
       "text":{"type":"string","description":"words, upper or lower case"},
       "types":{"type":"array","items":{"type":"string"},"description":"only these, such as Response or Document"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"records at most; 20"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, search},
    {"cite", "The sources of an answer",
     "The context units, chunks, documents and messages that an answer or a response was made from, by their share in "
     "it, and the citations it gave.",
     R"({"type":"object","required":["ref"],"properties":{
       "ref":{"type":"string","description":"of a Response or an Answer"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"ancestors looked at, of which the sources are shown; 100"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, cite},
    {"query", "Ask the graph a question of your own",
     "The rows of a query in openCypher that reads and does not write, for questions that no other tool answers: "
     "counts, "
     "groups, patterns. `(cause)-[:INFLUENCES*]->(effect)` follows every edge with influence; "
     "`strongestPath((a)-[:INFLUENCES*]->(b))`, `weight(p)` and `AT TX 17 MATCH ...` are known. Times are texts of ISO "
     "8601. Return single properties where they are enough: a node is told as its ref and label.",
     R"({"type":"object","required":["cypher"],"properties":{
       "cypher":{"type":"string","description":"such as MATCH (r:Response) RETURN r.agent AS agent, count(*) AS n ORDER BY n DESC"},
       "params":{"type":"object","description":"the values of $name in the query"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"rows at most; 50"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, query, graph_schema_text},
    {"record", "Record an answer of a model",
     "Records what a model said and what it was made from, so that `why` and `impact` know it.",
     R"({"type":"object","required":["content"],"properties":{
       "content":{"type":"string","description":"what the model said"},
       "prompt":{"type":"string","description":"what it was asked"},
       "agent":{"type":"string","description":"who asked it; mcp"},
       "model":{"type":"string","description":"that said it; unknown"},
       "sources":{"type":"array","items":{"type":"object","properties":{
         "ref":{"type":"string","description":"of a record that is known"},
         "content":{"type":"string","description":"or the text itself"},
         "source":{"type":"string","description":"where the text is from, such as file:faq.md"},
         "weight":{"type":"number","minimum":0,"maximum":1,"description":"how much of the answer is due to it"}}}}}})",
     true, record},
    {"compare", "What changed between two moments",
     "How the sources of a record differ between two moments: what was added, what was removed, what counts more or "
     "less.",
     R"({"type":"object","required":["ref","before","after"],"properties":{
       "ref":{"type":"string"},
       "before":{"type":"string","description":"a transaction's number or an RFC 3339 time"},
       "after":{"type":"string","description":"likewise, later"},
       "limit":{"type":"integer","minimum":1,"maximum":10000,"description":"nodes of each list at most; 100"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, compare},
};

}  // namespace

std::span<Tool const> tools() noexcept {
  return all_tools;
}

Tool const* find_tool(std::string_view name) noexcept {
  auto const found = std::ranges::find(all_tools, name, &Tool::name);
  return found == std::end(all_tools) ? nullptr : found;
}

ToolAnswer run_tool(Tool const& tool, Call const& call, boost::json::object const& given) {
  auto const schema = schema::json::parse(tool.input_schema);
  auto const arguments = settled_arguments(schema->value.as_object(), given);
  if (auto wrong = check_arguments(schema->value.as_object(), arguments); !wrong.empty())
    return failure(std::move(wrong));
  return tool.run(call, arguments);
}

}  // namespace whence::net::mcp
