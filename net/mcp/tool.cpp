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
     "Records that have all words of `text`, the best first: what models said, questions, prompts, context units, "
     "chunks, documents, messages, summaries, keywords, feedback, ids.",
     R"({"type":"object","required":["text"],"properties":{
       "text":{"type":"string","description":"words, upper or lower case, in any English form"},
       "exact":{"type":"boolean","description":"finds the words as they are alone"},
       "types":{"type":"array","items":{"type":"string"},"description":"only these, such as Response or Document"},
       "cursor":{"type":"string","description":"goes on where an answer ended; give text again"},
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
     "counts, groups, patterns. `(cause)-[:INFLUENCES*]->(effect)` follows every edge with influence; "
     "`strongestPath((a)-[:INFLUENCES*]->(b))`, `weight(p)` and `AT TX 17 MATCH ...` are known. Times are texts of "
     "ISO 8601. Return single properties where they are enough: a node is told as its ref and label.",
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
    {"diff", "Two answers side by side",
     "How two records, `a` and `b`, differ: the sources that only one of them had, other versions, another order of "
     "the prompt, and what they say, word by word. Or how the sources of one record, `ref`, differ between the "
     "moments `before` and `after`.",
     R"({"type":"object","properties":{
       "a":{"type":"string","description":"a ref; with b"},
       "b":{"type":"string"},
       "ref":{"type":"string","description":"instead of a and b; with before and after"},
       "before":{"type":"string","description":"a transaction's number or an RFC 3339 time"},
       "after":{"type":"string","description":"likewise, later"},
       "limit":{"type":"integer","minimum":1,"maximum":10000,"description":"nodes of each list at most; 100"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, diff},
    {"blame", "Whose fault bad answers are",
     "The sources, tools, agents, models or prompts that badly rated answers rest on more often than other answers "
     "do, with a sentence on how sure that is. Those most to blame come first.",
     R"({"type":"object","properties":{
       "of":{"type":"string","description":"sources, units, chunks, documents, tools, agents, models, prompts or questions; sources"},
       "responses":{"type":"array","items":{"type":"string"},"description":"refs of answers that are bad; else those with bad ratings"},
       "score_below":{"type":"number","description":"a rating below it is bad; 0"},
       "since":{"type":"string","description":"only answers from this moment on"},
       "agent":{"type":"string"},
       "model":{"type":"string"},
       "topic":{"type":"string"},
       "cursor":{"type":"string","description":"goes on where an answer ended"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"items at most; 20"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, blame},
    {"without", "What if a source had not been there",
     "What answers would lose without some records: which would have no support left, which would be weakened and by "
     "how much, and which other sources they have.",
     R"({"type":"object","required":["refs"],"properties":{
       "refs":{"type":"array","items":{"type":"string"},"description":"refs of what is taken away"},
       "sets":{"type":"boolean","description":"adds the least sets of sources without which an answer has no support"},
       "cursor":{"type":"string","description":"goes on where an answer ended"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"items at most; 50"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, without},
    {"replay_plan", "Which calls would have to be made again",
     "The model calls that rest on some records, in the order in which they would have to be made again without "
     "these, each with its inputs and what becomes of them, and with the tokens and the cost that it had.",
     R"({"type":"object","required":["refs"],"properties":{
       "refs":{"type":"array","items":{"type":"string"},"description":"refs of what is taken away"},
       "mended":{"type":"boolean","description":"puts the newest version of each in its place, where there is one"},
       "cursor":{"type":"string","description":"goes on where an answer ended"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"items at most; 50"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, replay_plan},
    {"stale", "What changed since",
     "Of an answer the sources that have changed since it was made, and whether its quotes are in the texts as they "
     "were; of a source the answers that rest on it as it was; without `ref` all sources that changed.",
     R"({"type":"object","properties":{
       "ref":{"type":"string","description":"of an answer, or of a source such as Document:faq.md"},
       "cursor":{"type":"string","description":"goes on where an answer ended"},
       "as_of":{"type":"string","description":"a past moment: a transaction's number or an RFC 3339 time"},
       "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"items at most; 50"},
       "max_bytes":{"type":"integer","minimum":1000,"maximum":10000000,"description":"of the answer; 60000"}}})",
     false, stale},
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
