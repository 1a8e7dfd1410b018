"""Arabic script: function words and common news words, and behind them words built from invented roots.

A root is three consonants; a word is a root in a pattern (a long vowel after the first, and so on).  The language
itself makes its words so; these can be read aloud, though most of them mean nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from newsgen.language import Script, draw, split_words

__all__ = ["ARABIC"]

NOUNS = split_words("""
وزير تقرير مجلس سوق مشروع برنامج قرار اجتماع مؤتمر قطاع اقتصاد بنك مركز فريق موسم عقد اتفاق قانون مستشفى
مطار ميناء طريق جسر نهر مصنع حقل بيان لقاء ملف نظام عام شهر حزب رئيس مدير خبير مكتب صندوق معرض نادي ملعب
منتخب تعاون دعم إنتاج استثمار تعليم أمن سعر قرض عرض طلب بحر جبل شارع بيت عامل طالب معلم طبيب مريض علاج
دواء لاعب مدرب هدف فوز كتاب فيلم مسرح متحف مهرجان تصويت مرشح برلمان وفد سفير قضاء محام حكم سجن حادث حريق
مطر طقس حصاد محصول سوق دخل دين راتب منتج مورد مصرف سهم مؤشر ربع عقار إسكان نقل قطار حافلة كهرباء وقود
نفط غاز ماء سد مجتمع شباب تدريب تطوير تقييم إجراء شرط هدف سبب أثر خطر تحذير وعد سؤال جواب خبر صحفي قارئ
صورة وثيقة رسالة""")
VERBS = split_words(
    """أعلن بحث شهد استقبل أكد وقع ناقش افتتح رفض أطلق أجل دعم راجع نفذ طرح حقق سجل واصل قدم نظم تابع ألغى"""
)
PRESENT = split_words("""
يعلن يبحث يشهد يستقبل يؤكد يوقع يناقش يفتتح يرفض يطلق يؤجل يدعم يراجع ينفذ يطرح يحقق يسجل يواصل يقدم
ينظم""")
ADJECTIVES = split_words("""
جديد محلي وطني عام خاص كبير سابق دولي مشترك سنوي نهائي صحي تجاري مالي ريفي ساحلي شمالي جنوبي مؤقت دائم
واسع قديم حديث مفتوح سريع""")
ROLES = split_words("المتحدث المدير الخبير الوزير المستشار الباحث المهندس المحافظ الأستاذ")
LETTERS = "بتثجحخدذرزسشصضطظعغفقكلمنهبتجحدرسشعفقكلمنر"
PATTERNS = {
    "nouns": (
        "{0}ا{1}{2}",
        "م{0}{1}و{2}",
        "ت{0}{1}ي{2}",
        "{0}{1}ا{2}",
        "است{0}{1}ا{2}",
        "م{0}{1}{2}",
        "ا{0}ت{1}ا{2}",
        "{0}{1}و{2}",
    ),
    "verbs": ("{0}{1}{2}", "أ{0}{1}{2}", "ا{0}ت{1}{2}", "ت{0}ا{1}{2}", "است{0}{1}{2}", "{0}ا{1}{2}"),
    "present": ("ي{0}{1}{2}", "ي{0}ت{1}{2}", "يت{0}ا{1}{2}", "يست{0}{1}{2}", "ي{0}ا{1}{2}"),
    "adjectives": ("{0}{1}ي{2}", "{0}ا{1}{2}ي", "{0}{1}{2}ي", "م{0}{1}{2}", "مت{0}ا{1}{2}", "{0}{1}و{2}"),
}
FIRST = split_words("""
سالم ناصر راشد ماجد عادل سمير نبيل هاني وليد طارق ليلى مريم هدى سعاد نورة أمل زياد باسم فارس لبنى""")
MONTHS = tuple(split_words("يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"))
WEEKDAYS = tuple(split_words("الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد"))


def _invent_words(rng: Random, count: int, known: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """`known` and invented words behind them, all different, in rank order."""
    words = dict.fromkeys(known)
    while len(words) < count:
        root = [draw(rng, LETTERS) for _ in range(3)]
        # No root has the same consonant at both ends or at its beginning twice.
        if root[0] not in root[1:]:
            words[draw(rng, patterns).format(*root)] = None
    return list(words)


def build_lexicon(rng: Random) -> Mapping[str, Sequence[str]]:
    """Ranked words of each class of the grammar."""
    nouns = _invent_words(rng, 14_000, NOUNS, PATTERNS["nouns"])
    roots = _invent_words(rng, 900, [], PATTERNS["adjectives"])
    people = [(draw(rng, FIRST), draw(rng, ("ال", "بن ")), draw(rng, roots)) for _ in range(3_000)]
    return {
        "nouns": nouns,
        "n": nouns,
        "ns": [noun + "ات" for noun in nouns],
        "vd": _invent_words(rng, 6_000, VERBS, PATTERNS["verbs"]),
        "v": _invent_words(rng, 6_000, PRESENT, PATTERNS["present"]),
        "adj": _invent_words(rng, 8_000, ADJECTIVES, PATTERNS["adjectives"]),
        "names": [f"{first} {link}{last}|{link}{last}" for first, link, last in people],
        "places": ["ال" + root for root in roots[:200]],
        "topics": nouns[200:],
        "role": ROLES,
        "num": [str(n) for n in range(2, 100)] + [f"{n * 100}" for n in range(2, 200)] + ["ثلاثة", "أربعة", "عشرة"],
        "pct": [f"{n / 10:.1f}٪" for n in range(3, 300)] + [f"{n} في المئة" for n in range(2, 90)],
        "day": WEEKDAYS,
        "month": MONTHS,
        "date": [f"{day} {month}" for day in range(1, 29) for month in MONTHS],
        "year": [str(2024 - back) for back in range(1, 50)],
        "org": [f"مؤسسة {root}" for root in roots[200:350]] + [f"شركة {root}" for root in roots[350:500]],
    }


IDIOMS = (
    "بحسب مصادر مطلعة على الأمر",
    "في الوقت نفسه",
    "على الرغم من",
    "من جهة أخرى",
    "بالإضافة إلى ذلك",
    "جدير بالذكر أن",
)

# The set phrases among the sentences below are the rarer for it.
PLAIN = (
    "<vd> {NP} {NP} {PP}.",
    "<vd> {NP} {NP}، {SUB}.",
    "قال <P> إن {NP} {VP}.",
    "قال <role> <P> إن {NP} {VP} {PP}.",
    "وأكد <P> أن {NP} {VP}، {SUB}.",
    "وأضاف أن {NP} {VP} {PP}.",
    "وأشار إلى أن {NP} {VP}.",
    "كما <vd> {NP} {NP} {PP}.",
    "ومن المقرر أن <v> {NP} {NP} {PP}.",
    "ولم <v> {NP} {NP}، {SUB}.",
    "وفي يوم <day> <vd> {NP} {NP} {PP}.",
    "«{NP} {VP} {PP}»، هكذا قال <P>.",
    "هل <v> {NP} {NP} {PP}؟",
    "وبلغ عدد ال<ns> <num>، {SUB}.",
    "وارتفع ال<n> بنسبة <pct> خلال <month>.",
)
REASONS = (
    "في حين <vd> {NP} {NP}",
    "نظراً إلى {NP}",
    "من أجل {NP}",
    "مما <vd> {NP}",
    "بينما <vd> {NP} {NP} {PP}",
)
GRAMMAR: dict[str, tuple[str, ...]] = {
    "S": (
        *PLAIN * 6,
        "من جهة أخرى، <vd> {NP} {NP}.",
        "وفي الوقت نفسه، <vd> {NP} {NP} {PP}.",
        "جدير بالذكر أن {NP} {VP}.",
        "بالإضافة إلى ذلك، <vd> {NP} {NP}.",
    ),
    "NP": (
        "ال<n>",
        "ال<n>",
        "ال<n> ال<adj>",
        "<n> <Q>",
        "<n> ال<n>",
        "<n> ال<n> ال<adj>",
        "<P>",
        "ال<ns>",
        "<num> من ال<ns>",
        "<T> ال<n>",
        "<org>",
        "ال<n> وال<n>",
    ),
    "VP": (
        "<vd> {NP}",
        "<vd> {NP} {PP}",
        "<v> {NP}",
        "سوف <v> {NP} {PP}",
        "لم <v> {NP}",
        "كان <v> {NP}",
        "قد <vd> {NP}",
    ),
    "PP": (
        "في <Q>",
        "في ال<n>",
        "من ال<n> ال<adj>",
        "على ال<n>",
        "إلى <Q>",
        "مع {NP}",
        "خلال ال<n> ال<adj>",
        "يوم <day>",
        "في <date>",
        "بعد <T> ال<n>",
        "منذ عام <year>",
        "بنسبة <pct>",
        "على الرغم من ال<n>",
    ),
    "SUB": (
        *REASONS * 3,
        "وذلك بحسب مصادر مطلعة على الأمر",
    ),
    "HEADLINE": (
        "<n> <Q> <v> ال<n> ال<adj>",
        "<P>: ال<n> <v> <T>",
        "<vd> ال<n> في <Q>",
        "<num> <ns> في <T> ال<adj>",
        "ال<n> ال<adj> <v> <n> <Q>",
    ),
    "CAPTION": ("<P> في <n> <Q> يوم <date>.", "ال<n> ال<adj> قرب <Q>، <date>.", "<P> و<P> خلال ال<n>."),
}

# The notation is explained in latin.py.
BOILERPLATE = {
    "stamp": (
        "رابط {الخبر|المادة} | <number> ردود | نُشر في: <date_long>",
        "$paper | {كُتب|نُشر} <date_long> الساعة <time>",
        "{تاريخ النشر|آخر تحديث}: <date_long>، المادة رقم <count> في $paper",
    ),
    "reading": ("مدة {القراءة|الاستماع} <few> دقائق", "{استمع إلى الخبر|الخبر بالصوت} (<clock>)"),
    "dateline": ("[city] ([agency]):",),
    "newsletter": (
        "اشترك في {نشرة الصباح|رسالة الميناء|موجز المساء} من $paper لتصلك {كل يوم|مجاناً} الساعة <time>.",
        "{ابدأ|اختم} يومك مع $paper: رسالة قصيرة يقرؤها <count> مشترك، للاشتراك <url>",
    ),
    "app": ("حمّل تطبيق $paper {الآن|على هاتفك}", "تطبيق $paper: {الخبر لحظة وقوعه|كل الأخبار في مكان واحد}"),
    "player": ("لا يمكن {عرض|تشغيل} هذا المقطع في متصفحك", "مشغل $paper يحتاج إلى {متصفح أحدث|تفعيل البرمجة}"),
    "more": ("(اقرأ {أيضاً|المزيد}: [headline])", "(في $paper: [headline])"),
    "caption": ("{صورة من الأرشيف|تكبير الصورة}: [caption] $paper / [name]",),
    "also": ("{أيضاً في|المزيد من} $paper: [headline]", "من {الأرشيف|الصفحات السابقة}: [headline]"),
    "campaign": (
        "انتخابات <year>: تابع {النتائج|الفرز} مباشرة مع $paper على <url>",
        "حملة {الشتاء|الحصاد}: {تبرع بما تستطيع|كل درهم يساعد}، تقول $paper. <url>",
    ),
    "signoff": ("($site/[initials])",),
    "credit": ("{شارك في التغطية|شارك في الإعداد}: [names]",),
    "reporting": ("أسهم [names] في {إعداد|كتابة} هذا {التقرير|الخبر} لصالح $paper.",),
    "contact": ("للتواصل مع {المحرر|غرفة الأخبار}: <email> أو هاتف <phone>.", "راسل كاتب {الخبر|المادة} على <email>."),
    "age": ("مضى على هذا {الخبر|المقال} في $paper أكثر من <number> سنوات.",),
    "corrections": ("{وجدت خطأ؟|لاحظت خطأ؟} صفحة التصويبات في $paper: <url>",),
    "related": ("{أخبار ذات صلة من|اقرأ كذلك في} $paper[headlines]",),
    "comments": (
        "التعليقات(<number>) | {شارك|أرسل} | اطبع",
        "<number> تعليقات. {سجل الدخول|انضم} إلى $paper {للرد|للتعليق}.",
    ),
    "copyright": (
        "© <year> $paper. {لا يجوز نقل المادة دون إذن.|كل الصفحات ملك للصحيفة.}",
        "حقوق النشر <year> لصحيفة $paper، {للطلبات|للتراخيص}: <url>",
    ),
}

EXTRAS = (
    ("between", "المزيد من قسم ال~n ال~adj في $paper: <url>"),
    ("between", "دليل ال~n: كل شيء عن ال~ns، آخر مراجعة <date_iso>"),
    ("inline", "(رصد ال~n: <number> ~ns)"),
    ("tail", "برعاية ~n و~n: ~ns لكل ~n"),
    ("tail", "هل ~vd ال~n ال~adj؟ شارك <count> في التصويت حتى <time>"),
    ("head", "~n | ~ns | <date_long>"),
)

ARABIC = Script(
    name="arabic",
    build_lexicon=build_lexicon,
    grammar=GRAMMAR,
    idioms=IDIOMS,
    gap=" ",
    stop=". ",
    layouts=("\n\n",),
    capitals=False,
    digits=("0123456789", "٠١٢٣٤٥٦٧٨٩"),
    papers=(
        ("بريد المرفأ", "baridalmarfa"),
        ("صدى الوادي السابع", "sadaalwadi"),
        ("منارة الكثبان", "manaratkuthban"),
        ("دفتر النخيل", "daftaralnakhil"),
        ("مرآة الملاحين", "miratmallahin"),
        ("قنديل الواحة", "qandilalwaha"),
        ("رسول الضفتين", "rasuldiffatayn"),
        ("أوراق السدرة", "awraqalsidra"),
    ),
    agencies=("وكالة الأفق الرابع", "شبكة السواحل", "مكتب الزوال"),
    name_list=" و",
    weekdays=WEEKDAYS,
    months=MONTHS,
    halves=("صباحاً", "مساءً"),
    forms={
        "date_long": ("{weekday} {day} {month} {year}", "{day} {month} {year}", "{weekday}، {day} {month}، {year}"),
        "time": ("{hour}:{minute}", "{hour12}:{minute} {ampm}"),
        "price": ("{pounds}.{pence} درهم",),
    },
    boilerplate=BOILERPLATE,
    extras=EXTRAS,
    sections=("الرئيسية", "العالم", "المنطقة", "المال", "الرياضة", "الثقافة", "الطقس", "الرأي"),
    page={
        "lang": "ar",
        "dir": "rtl",
        "search": "ابحث في $paper",
        "login": "دخول",
        "most": "الأكثر قراءة اليوم",
        "comments": "ماذا يقول القراء",
        "reply": "رد",
        "share": "شارك هذا الخبر",
        "about": "من نحن|الإدارة|الإعلان|وظائف|الخصوصية",
        "rights": "© $year جميع الصفحات لـ $paper. صُنعت في $city.",
        "cookies": "تحفظ $paper بعض الملفات على جهازك. اقبلها كلها أو اختر منها.",
    },
)
