#pragma once
// The log lines of retrieval and generation: what they take from the answers of `rag.retrieve` and `rag.answer`.

#include "net/rpc/method.hpp"
#include "schema/json/writer.hpp"

#include <boost/json/object.hpp>

namespace whence::net {

/// `chunks_retrieved`: how many.
void describe_retrieval(schema::json::Writer& out, boost::json::object const& result);

/// `citations` and `confidence` of the answer, where there is one.
void describe_answer(schema::json::Writer& out, boost::json::object const& result);

inline constexpr MethodLog retrieval_log{.component = "retrieval",
                                         .received = "query_received",
                                         .answered = "chunks_retrieved",
                                         .describe = describe_retrieval};
inline constexpr MethodLog generation_log{
    .component = "generation", .received = {}, .answered = "answer_generated", .describe = describe_answer};

}  // namespace whence::net
