"""A naive reference model of extraction from XML responses, over dictionaries, with Python's own XML parser. It shares no
code with the engine. `Extracted` holds the records derived from the attachments written to it, in order.
"""
import hashlib
import json
import xml.etree.ElementTree as ElementTree

WHITE_SPACE = " \t\r\n"


def quoted(part):
    return part.replace("%", "%25").replace("/", "%2F")


def text_of(record):
    return record["xml"] if "xml" in record else record["xmlContent"]


def stored(record):
    """The attachment's object as stored, without the members outside its hash."""
    text = text_of(record)
    result = {"$type$": "XMLMessageAttachment", "createdAt": record["createdAt"], "format": record["format"],
              "messageId": record["messageId"], "size": len(text.encode()), "topicId": record["topicId"], "version": 1}
    if len(text.encode()) <= 1024:
        return {**result, "xmlContent": text}
    return {**result, "xmlBlob": "sha256://" + hashlib.sha256(text.encode()).hexdigest()}


def hash_of(record):
    text = json.dumps(stored(record), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Extracted:
    def __init__(self):
        self.keywords, self.subjects, self.summaries = {}, {}, {}  # by ref
        self.attachments = {}                                     # hash -> stored
        self.edges = []                                           # (ref, hash, confidence)
        self._names, self._last, self._versions = {}, {}, {}      # (topic, name) -> ref; topic -> refs; topic -> number

    def write(self, record):
        """Adds one attachment; whether it is new."""
        name = hash_of(record)
        if name in self.attachments:
            return False
        self.attachments[name] = stored(record)
        if record["format"] == "llm-response":
            self._extract(record, name)
        return True

    def _extract(self, record, name):
        topic, at = record["topicId"], record["createdAt"]
        analysis = ElementTree.fromstring(text_of(record)).find("analysis")
        mentioned, terms, confidences = [], [], {}
        for element in analysis.findall("subject"):
            words = [(k.get("term").strip(WHITE_SPACE), float(k.get("confidence"))) for k in element.findall("keyword")]
            ref = self._subject(topic, element, sorted({t for t, _ in words}), at, name)
            if ref not in mentioned:
                mentioned.append(ref)
                self._count(self.subjects[ref], ref in self._last.get(topic, ()), at)
            for term, confidence in words:
                self._keyword(term, confidence, ref, at, name)
                confidences[term] = max(confidence, confidences.get(term, 0))
                if term not in terms:
                    terms.append(term)
        self._last[topic] = mentioned
        self.edges += [(r, name, None) for r in mentioned]
        self.edges += [("Keyword:" + t, name, c) for t, c in confidences.items()]
        update = analysis.find("summaryUpdate").text or ""
        if update.strip(WHITE_SPACE):
            self._summary(topic, update, mentioned, terms, at, name)

    def _subject(self, topic, element, words, at, name):
        title = element.get("name").strip(WHITE_SPACE)
        ref = self._names.get((topic, title))
        if ref is None:
            identity = "+".join(words) or title
            if len(identity.encode()) > 255:
                identity = "sha256-" + hashlib.sha256(identity.encode()).hexdigest()
            ref = f"Subject:{quoted(topic)}/{quoted(identity)}"
            if ref not in self.subjects:
                self._names[topic, title] = ref
                self.subjects[ref] = {
                    "$type$": "Subject", "id": identity, "topic": topic, "name": title,
                    "description": element.get("description"), "keywords": [], "timeRanges": [], "messageCount": 0,
                    "createdAt": at, "lastSeenAt": at, "archived": False, "sourceXmlHash": name}
        subject = self.subjects[ref]
        subject["keywords"] = sorted(set(subject["keywords"]) | set(words), key=str.encode)
        return ref

    @staticmethod
    def _count(subject, is_continued, at):
        subject["messageCount"] += 1
        subject["lastSeenAt"] = max(subject["lastSeenAt"], at)
        if is_continued and subject["timeRanges"]:
            last = subject["timeRanges"][-1]
            last["end"] = max(last["end"], at)
        else:
            subject["timeRanges"].append({"start": at, "end": at})

    def _keyword(self, term, confidence, subject, at, name):
        keyword = self.keywords.setdefault("Keyword:" + term, {
            "$type$": "Keyword", "term": term, "frequency": 0, "subjects": [], "score": 0, "createdAt": at,
            "lastSeen": at, "sourceXmlHash": name})
        keyword["frequency"] += 1
        keyword["score"] = max(keyword["score"], confidence)
        keyword["lastSeen"] = max(keyword["lastSeen"], at)
        if subject not in keyword["subjects"]:
            keyword["subjects"].append(subject)

    def _summary(self, topic, update, mentioned, terms, at, name):
        version = self._versions[topic] = self._versions.get(topic, 0) + 1
        before = self.summaries.get(f"Summary:{topic}-v{version - 1}")
        parts = [before["content"]] if before else []
        record = {"$type$": "Summary", "id": f"{topic}-v{version}", "topic": topic,
                  "content": "\n".join(parts + [update.strip(WHITE_SPACE)]), "increment": update,
                  "subjects": [self.subjects[r]["id"] for r in mentioned], "keywords": terms, "version": version,
                  "createdAt": at, "updatedAt": at, "changeReason": "summaryUpdate", "sourceXmlHash": name}
        if before:
            record["previousVersion"] = before["id"]
        self.summaries[f"Summary:{topic}-v{version}"] = record
        self.edges.append((f"Summary:{topic}-v{version}", name, None))

    def everything(self):
        """All extracted records by ref."""
        return {**self.keywords, **self.subjects, **self.summaries}
