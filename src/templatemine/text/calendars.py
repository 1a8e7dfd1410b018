"""Names of months and weekdays, by language, for patterns and for whatever reads dates.

The names are written as they are beside a day ("3 marca", "۳ خرداد"), in the case that running text has.  A name of
several words is not here, nor is one that is rather another word of its language; Chinese, Japanese, Korean and
Vietnamese count their months.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

MONTHS: Mapping[str, str] = {
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "nb": "januar februar mars april mai juni juli august september oktober november desember",
    "is": "janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember",
    "fi": (
        "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta "
        "marraskuuta joulukuuta"
    ),
    "et": "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
    "lv": "janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris",
    "lt": "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "sk": "januára februára - apríla mája júna júla augusta septembra októbra novembra decembra",
    "hu": "január február március április május június július augusztus szeptember október november december",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "hr": ("siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca"),
    "sl": "januarja februarja - aprila maja junija julija avgusta septembra oktobra novembra decembra",
    "sr": "januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra",
    "sr cyrillic": "јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра",
    "sq": "janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
    "uk": ("січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня"),
    "be": ("студзеня лютага сакавіка красавіка мая чэрвеня ліпеня жніўня верасня кастрычніка лістапада снежня"),
    "kk": "қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан",
    "el": (
        "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου "
        "Δεκεμβρίου"
    ),
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "az": "yanvar fevral mart aprel - iyun iyul avqust sentyabr oktyabr noyabr dekabr",
    "id": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
    "ms": "Januari Februari - April Mei - Julai Ogos September Oktober November Disember",
    "sw": "Januari Februari Machi Aprili Mei Juni Julai Agosti Septemba Oktoba Novemba Desemba",
    "tl": "Enero Pebrero Marso Abril Mayo Hunyo Hulyo Agosto Setyembre Oktubre Nobyembre Disyembre",
    "ca": "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
    "he": "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר",
    "he in": "בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר",
    "ar maghreb": "جانفي فيفري مارس أفريل ماي جوان جويلية أوت سبتمبر أكتوبر نوفمبر ديسمبر",
    "fa": "ژانویه فوریه مارس آوریل - ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر",
    "ur": "جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر",
    "hi": "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
    "mr": "जानेवारी फेब्रुवारी मार्च एप्रिल मे जून जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर",
    "bn": "জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর",
    "pa": "ਜਨਵਰੀ ਫਰਵਰੀ ਮਾਰਚ ਅਪ੍ਰੈਲ ਮਈ ਜੂਨ ਜੁਲਾਈ ਅਗਸਤ ਸਤੰਬਰ ਅਕਤੂਬਰ ਨਵੰਬਰ ਦਸੰਬਰ",
    "gu": "જાન્યુઆરી ફેબ્રુઆરી માર્ચ એપ્રિલ મે જૂન જુલાઈ ઓગસ્ટ સપ્ટેમ્બર ઓક્ટોબર નવેમ્બર ડિસેમ્બર",
    "ta": "ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்",
    "te": "జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జులై ఆగస్టు సెప్టెంబర్ అక్టోబర్ నవంబర్ డిసెంబర్",
    "kn": "ಜನವರಿ ಫೆಬ್ರವರಿ ಮಾರ್ಚ್ ಏಪ್ರಿಲ್ ಮೇ ಜೂನ್ ಜುಲೈ ಆಗಸ್ಟ್ ಸೆಪ್ಟೆಂಬರ್ ಅಕ್ಟೋಬರ್ ನವೆಂಬರ್ ಡಿಸೆಂಬರ್",
    "ml": "ജനുവരി ഫെബ്രുവരി മാർച്ച് ഏപ്രിൽ മേയ് ജൂൺ ജൂലൈ ഓഗസ്റ്റ് സെപ്റ്റംബർ ഒക്ടോബർ നവംബർ ഡിസംബർ",
    "ka": "იანვარი თებერვალი მარტი აპრილი მაისი ივნისი ივლისი აგვისტო სექტემბერი ოქტომბერი ნოემბერი დეკემბერი",
    "hy": ("հունվարի փետրվարի մարտի ապրիլի մայիսի հունիսի հուլիսի օգոստոսի սեպտեմբերի հոկտեմբերի նոյեմբերի դեկտեմբերի"),
    "am": "ጃንዋሪ ፌብሩዋሪ ማርች ኤፕሪል ሜይ ጁን ጁላይ ኦገስት ሴፕቴምበር ኦክቶበር ኖቬምበር ዲሴምበር",
}
"""The twelve months by language, January first; "-" is one whose name is rather another word."""

SPELLINGS = (
    "january jan januar jänner janvier enero janeiro gennaio januari",
    "february feb februar feber février febrero fevereiro febbraio februari",
    "march mar märz mrz mars marzo março maart",
    "april apr avril abril aprile ابريل إبريل",
    "may mai mayo maio maggio mei",
    "june jun juni juin junio junho giugno",
    "july jul juli juillet julio julho luglio",
    "august aug août agosto augustus اغسطس",
    "september sep sept septembre septiembre setiembre setembro settembre",
    "october oct oktober octobre octubre outubro ottobre اكتوبر",
    "november nov novembre noviembre novembro",
    "december dec dezember décembre diciembre dezembro dicembre",
)
"""Other names of each month: English (short ones as well), German, French, Spanish, Portuguese, Italian and Dutch, and
Arabic ones with a bare or another alif."""

OTHER_CALENDARS: Mapping[str, str] = {
    "solar hijri": "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند",
    "hijri": "محرم صفر رجب شعبان رمضان شوال",
    "levant": "شباط آذار نيسان أيار حزيران تموز آب أيلول",
    "hebrew": "תשרי חשוון כסלו טבת שבט אדר ניסן אייר סיוון תמוז אלול",
    "ethiopian": "መስከረም ጥቅምት ኅዳር ታኅሣሥ ጥር የካቲት መጋቢት ሚያዝያ ግንቦት ሰኔ ሐምሌ ነሐሴ",
    "nepali": "वैशाख जेठ असार साउन भदौ असोज कात्तिक मंसिर पुस माघ फागुन चैत",
}
"""Months of calendars that don't begin with January, and of those whose other names are two words."""

WEEKDAYS: Mapping[str, str] = {
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag",
    "da": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "fi": "maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai",
    "et": "esmaspäev teisipäev kolmapäev neljapäev reede laupäev pühapäev",
    "pl": "poniedziałek wtorek środa czwartek piątek sobota niedziela",
    "cs": "pondělí úterý středa čtvrtek pátek sobota neděle",
    "sk": "pondelok utorok streda štvrtok piatok sobota nedeľa",
    "hu": "hétfő kedd szerda csütörtök péntek szombat vasárnap",
    "ro": "marți miercuri joi vineri sâmbătă duminică",
    "hr": "ponedjeljak utorak srijeda četvrtak petak subota nedjelja",
    "bg": "понеделник вторник сряда четвъртък петък събота неделя",
    "uk": "понеділок вівторок середа четвер субота неділя",
    "el": "Δευτέρα Τρίτη Τετάρτη Πέμπτη Παρασκευή Σάββατο Κυριακή",
    "tr": "Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar",
    "id": "Senin Selasa Rabu Kamis Jumat Sabtu Minggu",
    "fa": "شنبه یکشنبه دوشنبه چهارشنبه جمعه",
    "ur": "منگل بدھ جمعرات جمعہ اتوار",
    "hi": "सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार",
    "bn": "সোমবার মঙ্গলবার বুধবার বৃহস্পতিবার শুক্রবার শনিবার রবিবার",
    "ta": "திங்கள்கிழமை செவ்வாய்க்கிழமை புதன்கிழமை வியாழக்கிழமை வெள்ளிக்கிழமை சனிக்கிழமை ஞாயிற்றுக்கிழமை",
    "ko": "월요일 화요일 수요일 목요일 금요일 토요일 일요일",
    "ka": "ორშაბათი სამშაბათი ოთხშაბათი ხუთშაბათი პარასკევი შაბათი კვირა",
    "hy": "երկուշաբթի երեքշաբթի չորեքշաբթի հինգշաբթի ուրբաթ շաբաթ կիրակի",
    "am": "ሰኞ ማክሰኞ ረቡዕ ሐሙስ ዓርብ ቅዳሜ እሁድ",
}
"""Weekdays by language."""


def month_number(name: str) -> int:
    """Look up the month of a name in any language known here, from 1; 0 for none, and for one that means two.

    A long s or a dotless i, which expressions that ignore case take for an s or an i, makes no month.

    >>> month_number("März"), month_number("декабря"), month_number("listopada")
    (3, 12, 0)
    """
    return _month_numbers().get(name.lower(), 0)


@cache
def _month_numbers() -> Mapping[str, int]:
    months_of_name: dict[str, set[int]] = {}
    for names_by_month in (SPELLINGS, *map(str.split, MONTHS.values())):
        for month, names in enumerate(names_by_month, 1):
            for name in names.split():
                months_of_name.setdefault(name.lower(), set()).add(month)
    return {name: months.pop() for name, months in months_of_name.items() if len(months) == 1 and name != "-"}
