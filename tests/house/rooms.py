"""Which folder may include which, the rooms of each from the bottom up, and what it shows to others. The house test holds the sources against it."""

# Folder -> folders it may include besides itself.
MAY_INCLUDE = {
    "schema": set(),
    "graph": {"schema"},
    "store": {"schema"},
    "queries": {"graph", "schema"},
    "engine": {"graph", "store", "schema"},
    "net": {"engine", "queries", "graph", "schema"},
    "tools": {"schema", "graph", "store", "queries", "engine", "net"},
    "tests": {"schema", "graph", "store", "queries", "engine", "net", "tools"},
}

# The rooms of a folder from the bottom up: one includes itself and those below it. A room within another has its full path.
ROOMS = {
    "schema": """
        encoding base threads types checks json proof xml xml/parser records/conversation records/discussion records/prov records/retrieval
        records/context records search wire stored prov""".split(),
    "graph": """
        storage snapshot removal image boost columns embeddings walks shares""".split(),
    "store": """
        rows values files search lmdb packing checkpoint replicated log verify upkeep backups""".split(),
    "queries": """
        view conversation discussion find history live retention retrieval lineage search impact render proof cypher/base
        cypher/values cypher/syntax cypher/state cypher/functions cypher/resolve cypher/evaluate cypher/plan cypher/walks
        cypher/run cypher cypher/batch cypher/whence export export/formats export/prov""".split(),
    "engine": """
        values tree state intake plan extraction validation/discussion validation/retrieval validation restore steps search
        jobs writer checkpoint columns""".split(),
    "net": """
        base plain_text params access metrics mcp retention tracing work live proof capture/messages capture/spans capture/trace
        capture/records capture/known capture/causes capture/derivation capture openlineage files rpc stream state
        session calls log service serving pages bolt/packstream bolt websocket cypher/catalog cypher http methods server""".split(),
    "tools": """
        cli/process cli/transport cli/options cli/output cli/program cli/personal cli/backups cli/exports cli/cases cli/evidence cli/doctor
        cli/imports cli/manual cli/pages cli/query cli/serve cli/tokens cli/watch cli/verbs cli/proofs cli/what_if bench/data bench/peers
        bench bench/cypher bench/wire
        bench/live bench/persons bench/replicated""".split(),
}
# What may lie beside the rooms: the facade of the folder, which includes any of them.
FACADES = {"graph": {"graph"}, "engine": {"engine"}, "tools": {"whence"}}
# What other folders may include of a folder: headers, and rooms that are shown whole.
SHOWN = {
    "schema": """
        base/ checks/bounds.hpp checks/check_context.hpp checks/embedding_models.hpp encoding/ json/ prov/agreement.hpp
        proof/ prov/document.hpp prov/join.hpp prov/names.hpp prov/renaming.hpp prov/statements.hpp records/attachment.hpp
        records/check.hpp records/context/fields.hpp records/context/records.hpp records/conversation/records.hpp
        records/discussion/discussion.hpp records/discussion/fields.hpp records/discussion/file_name.hpp
        records/discussion/records.hpp records/indexed_fields.hpp records/links.hpp records/long_texts.hpp
        records/prov/dataset_name.hpp records/prov/records.hpp records/prov/relations.hpp records/record_fields.hpp records/record_reader.hpp
        records/records.hpp records/retrieval/citation.hpp records/retrieval/fields.hpp records/retrieval/records.hpp
        search/text_index.hpp search/texts.hpp stored/blobs.hpp stored/codec.hpp stored/sealed.hpp stored/shared_group.hpp
        threads/thread_guard.hpp threads/woken_thread.hpp types/author.hpp types/basis.hpp types/belonging.hpp types/edge_type.hpp types/flags.hpp types/link.hpp
        types/named_enum.hpp types/record_type.hpp types/ref.hpp wire/codec.hpp wire/decode.hpp wire/discussion_file.hpp wire/manifest.hpp
        wire/record_object.hpp wire/unknown_members.hpp xml/contract.hpp xml/escape.hpp xml/instructions.hpp xml/markup.hpp xml/parts.hpp
        xml/rules.hpp xml/usual.hpp""".split(),
    "graph": """
        boost/adapter.hpp boost/limits.hpp boost/ranking.hpp boost/snapshot_graph.hpp columns/field_columns.hpp embeddings/vectors.hpp graph.hpp
        image/image.hpp removal/ shares/each_share.hpp shares/withdrawal.hpp snapshot/ storage/image_memory.hpp storage/values.hpp
        walks/dominators.hpp walks/helpers.hpp walks/reduction.hpp walks/walk.hpp""".split(),
    "store": """
        backups/backup_set.hpp backups/backup_source.hpp backups/prune.hpp backups/recovery.hpp checkpoint/checkpoint.hpp
        files/destination.hpp files/files.hpp files/output_file.hpp files/pair_texts.hpp files/paired_files.hpp files/replace_file.hpp log/store.hpp
        replicated/announcement.hpp replicated/group_parts.hpp replicated/membership.hpp replicated/nats_address.hpp
        replicated/nats_log.hpp replicated/nats_upkeep.hpp replicated/shared_log.hpp rows/graph_row.hpp
        search/text_database.hpp search/word_splitter.hpp upkeep/backup.hpp upkeep/compact.hpp upkeep/empty_place.hpp
        upkeep/last_backup.hpp upkeep/look.hpp upkeep/mend.hpp upkeep/upgrade.hpp values/advance.hpp values/commit.hpp values/figures.hpp
        values/options.hpp verify/report.hpp verify/verify.hpp""".split(),
    "queries": """
        conversation/ cypher/ discussion/ export/ find/ history/ impact/ lineage/ live/ proof/ render/ retention/ retrieval/ search/
        view/incomplete.hpp view/moments.hpp view/params.hpp view/resolve.hpp view/stored_edge.hpp view/view.hpp""".split(),
    "engine": """
        checkpoint/read_graph.hpp engine.hpp jobs/job.hpp jobs/jobs.hpp search/search_figures.hpp tree/event_tree.hpp tree/private_file.hpp values/batch.hpp values/commit_metrics.hpp
        values/config.hpp values/history.hpp values/id_source.hpp values/log_piece.hpp values/priority.hpp values/purge_proposal.hpp
        values/write_answer.hpp values/written_content.hpp writer/foresight.hpp""".split(),
    "net": """
        access/method_scope.hpp access/namespace_name.hpp access/reload.hpp access/role.hpp
        access/secret_file.hpp access/token.hpp access/token_file.hpp base/errors.hpp base/log.hpp base/service_config.hpp
        base/version.hpp capture/capture.hpp capture/otlp.hpp cypher/runner.hpp mcp/server.hpp openlineage/event.hpp
        openlineage/facts.hpp params/exports.hpp params/held_query.hpp params/query_params.hpp plain_text/cell.hpp plain_text/query_value.hpp
        plain_text/record_line.hpp plain_text/shown.hpp plain_text/tree.hpp proof/transparency_log.hpp rpc/call_traits.hpp server/server.hpp
        service/service.hpp serving/served_store.hpp serving/server_config.hpp stream/close_codes.hpp stream/tls_context.hpp
        tracing/tracer.hpp""".split(),
}
