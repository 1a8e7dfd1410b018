"""Han script: no spaces, full-width punctuation, hardly a line boundary; words of two common characters.

The common news words come first in rank; the rest are pairs of characters that need not mean anything together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from newsgen.language import Script, draw, split_words

__all__ = ["HAN"]

NOUNS = split_words("""
发展 经济 项目 企业 城市 农村 市场 工程 政策 会议 计划 报告 学校 医院 铁路 港口 河流 产业 技术 服务 环境
资金 居民 代表 部门 地区 公司 银行 合同 价格 教育 文化 能源 粮食 工厂 交通 安全 标准 规划 成果 机构 团队
平台 系统 基地 群众 队伍 展览 赛季 球队 道路 桥梁 机场 车站 码头 船舶 海洋 森林 气候 降雨 洪水 水库 电力
煤炭 石油 钢铁 汽车 电池 芯片 网络 数据 软件 设备 零件 订单 出口 进口 贸易 关税 汇率 利率 债券 股票 基金
保险 税收 预算 收入 支出 工资 就业 养老 住房 房屋 土地 农业 渔业 果园 牧场 种子 化肥 疫苗 药品 患者 医生
护士 老师 学生 家长 工人 农民 司机 游客 顾客 读者 作家 电影 音乐 戏剧 小说 博物馆 图书馆 比赛 联赛 教练
球员 冠军 法院 律师 案件 法律 条例 合作 谈判 协议 代表团 大使 选举 议会 委员会 草案 意见 问题 原因 结果
影响 风险 机会 措施 步骤""")
VERBS = split_words("""
推进 举行 加强 完成 建设 提高 支持 开展 参加 推动 介绍 增加 减少 讨论 通过 启动 发布 检查 保护 服务 改善
调整 落实 扩大 组织 研究 恢复 评估 批准 延长 取消 推迟 拒绝 考虑 分析 总结 展示 提供 接受 签署 制定 执行
监督 管理 培训 培养 引进 出售 购买 运输 生产 种植 修复 保存 公布 确认 回应 采取 解决 促进 带动 吸引 影响
改变 适应 满足""")
ADJECTIVES = split_words(
    "重要 主要 新型 全国 地方 公共 现代 传统 国际 稳定 积极 优质 沿海 北部 南部 年度 共同 有关 相关 重大"
)
ROLES = split_words("负责人 专家 代表 教授 工程师 店主 船长 记者 教师 医生")
SURNAMES = "赵钱孙李周吴郑王冯陈卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜谢邹苏潘葛范彭鲁"
POOL = (
    "安把白百班半保报北本比笔边变标表别冰布步部才菜草层茶查长常场车成城程池持尺冲出初春词村达打大代带单当党刀"
    "导道灯等地点电店定东冬动都读度短对多朵额恩发法饭方房访放飞风封服府父复改干感刚高告歌格个各根工公功共谷故"
    "关观馆管光广规国果过海寒行航好号合和河黑红后湖花画话环黄回会火货机基级极急集几计记际季济加家价间检见件建"
    "江将讲交角教阶接街节结界金今进近京经井景静九酒旧局举具军开看康科可客课空口快款来蓝劳老乐类冷离里理力历立"
    "利连联良量列林临灵流柳六龙楼陆路录旅绿论落马买满毛门米密面民名明木目南难内能年念农暖欧排盘片品平坡期其气"
    "汽千前强桥青轻清情晴秋求区曲取权全泉群让热人任日容三色沙山商上少设社申深生声省胜师诗十石时识实史士世市事"
    "试视室是手首书术树数双水税顺思四松送速算岁台谈特提体天田条铁听通同头图土团推外湾完网望围温文问无五物西息"
    "希习系下夏先显现线乡相香向项象小校协写心新信星形兴姓雄修秀需选学雪训亚言研阳养样药业叶一衣医宜义艺易意因"
    "银印应英营影永用优油有友语育预元园原远院月云运再在造则展站张章照者镇正政知直值止志制质中钟种重州洲竹主住"
    "注专转庄装状准资子字自总走组最昨作座"
)
WEEKDAYS = tuple("星期" + day for day in "一二三四五六日")
MONTHS = tuple(f"{month}月" for month in range(1, 13))


def _invent_words(rng: Random, count: int, known: Sequence[str]) -> list[str]:
    """`known` and pairs of common characters behind them, now and then one of three; all different, in rank order."""
    words = dict.fromkeys(known)
    while len(words) < count:
        words["".join([draw(rng, POOL) for _ in range(2 if rng.random() < 0.92 else 3)])] = None
    return list(words)


def build_lexicon(rng: Random) -> Mapping[str, Sequence[str]]:
    """Ranked words of each class of the grammar."""
    nouns = _invent_words(rng, 14_000, NOUNS)
    places = _invent_words(rng, 220, [])
    people = [
        draw(rng, SURNAMES) + draw(rng, POOL) + (draw(rng, POOL) if rng.random() < 0.7 else "") for _ in range(3_000)
    ]
    return {
        "nouns": nouns,
        "n": nouns,
        "v": _invent_words(rng, 7_000, VERBS),
        "adj": _invent_words(rng, 6_000, ADJECTIVES),
        "names": [f"{name}|{name}" for name in people],
        "places": [place[:2] + draw(rng, "市县镇港州岛") for place in places],
        "topics": nouns[200:],
        "role": ROLES,
        "num": [str(n) for n in range(2, 100)] + [f"{n}万" for n in range(2, 90)] + ["三", "五", "十", "两百"],
        "pct": [f"{n / 10:.1f}%" for n in range(3, 300)] + [f"百分之{n}" for n in "二三五六八十"],
        "day": WEEKDAYS,
        "month": MONTHS,
        "date": [f"{month}{day}日" for day in range(1, 29) for month in MONTHS],
        "year": [f"{2024 - back}年" for back in range(1, 40)],
        "org": [place[:2] + kind for place in places for kind in ("研究院", "集团", "商会")],
    }


IDIOMS = ("据知情人士透露", "在此基础上", "与此同时", "截至目前", "在一定程度上", "值得注意的是")

# The set phrases among the sentences below are the rarer for it.
PLAIN = (
    "{NP}{VP}。",
    "{NP}{VP}，{NP}{VP}。",
    "<P>说，{NP}{VP}。",
    "<P>表示，{NP}{VP}，{NP}{VP}。",
    "“{NP}{VP}，{NP}也{VP}。”<P>说。",
    "<day>，<Q>{NP}{VP}。",
    "据<org>介绍，{NP}已经{VP}。",
    "在<Q>，{NP}{VP}，并<v>了{NP}。",
    "<year>以来，<Q>{VP}，{NP}{VP}。",
    "<date>，<role><P>在<Q>{VP}。",
    "{NP}能否{VP}？",
    "从<n>到<n>，从<n>到<n>，{NP}{VP}。",
)
GRAMMAR: dict[str, tuple[str, ...]] = {
    "S": (
        *PLAIN * 4,
        "截至目前，<Q>共<v><num>个<n>，同比<v><pct>。",
        "与此同时，{NP}{VP}。",
        "在此基础上，{NP}{VP}，{NP}{VP}。",
        "据知情人士透露，{NP}{VP}。",
        "值得注意的是，{NP}{VP}。",
        "这在一定程度上<v>了{NP}。",
    ),
    "NP": (
        "<n>",
        "<n><n>",
        "<adj>的<n>",
        "<adj><n>",
        "<Q>的<n>",
        "<T>",
        "<T><n>",
        "<n>和<n>",
        "这些<n>",
        "<num>名<role>",
        "<Q><n><n>",
        "<n>、<n>、<n>等<n>",
    ),
    "VP": (
        "<v>{NP}",
        "正在<v>{NP}",
        "将<v>{NP}",
        "对{NP}进行<v>",
        "<v>了{NP}",
        "没有<v>{NP}",
        "把{NP}<v>到<Q>",
        "与{NP}<v><n>",
        "为{NP}<v>{NP}",
        "不断<v>{NP}",
        "<v><pct>",
    ),
    "HEADLINE": ("<Q><v><adj><n>", "<T><v><n> <n><v><n>", "<P>：<n>要<v><n>", "<num>个<n>在<Q><v>", "<adj><n><v><T>"),
    "CAPTION": ("<date>，<P>在<Q><n>。", "图为<Q>的<adj><n>。", "<P>和<P>在<n>现场。"),
}

# The notation is explained in latin.py.
BOILERPLATE = {
    "prefix": ("$paper消息（{早班|晚班}{快讯|要闻}）：", "【$paper{电讯|专稿}】", "（$paper{客户端|本地}报道）"),
    "stamp": ("{原文|本文}链接 | <number>条回复 | 发布于：<date_long>", "$paper <date_long> <time> {发布|刊出}"),
    "reading": ("{阅读|收听}约需<few>分钟", "{听本文|音频版}（<clock>）"),
    "dateline": ("[agency][city]电",),
    "newsletter": (
        "订阅$paper的{早安信|每日一页|晚潮}，每天<time>送到您的邮箱。",
        "已有<count>位读者订阅$paper{简报|短信版}，{随时可以退订|完全免费}。",
    ),
    "app": ("{下载|打开}$paper客户端，{第一时间看新闻|看更多本地消息}。", "{扫码|点击}安装$paper{手机版|平板版}。"),
    "player": ("您的浏览器无法播放此{视频|音频}。", "$paper播放器需要{更新浏览器|打开脚本}。"),
    "more": ("（{延伸阅读|另见}：[headline]）", "（$paper：[headline]）"),
    "caption": ("{资料图片|点击看大图}：[caption]$paper [name]摄",),
    "also": ("{同日|更多}$paper：[headline]。", "{往期|昨日}回顾：[headline]。"),
    "campaign": (
        "<year>年{票选|开票}：$paper全程{直播|跟踪}，见<url> ",
        "$paper{冬衣|丰收}募集：{一分也是心意|请伸出援手}。<url> ",
    ),
    "signoff": ("（{责编|编辑}：[name]）", "（$paper [name]）"),
    "credit": ("{参与采写|共同报道}：[names]。",),
    "reporting": ("[names]对本{文|报道}亦有贡献，$paper{综合|整理}。",),
    "contact": ("{新闻热线|编辑部电话}：<phone>，邮箱：<email> 。",),
    "age": ("本{文|报道}在$paper刊出已超过<number>年。",),
    "corrections": ("{发现错误？|内容有误？}$paper更正页：<url> 。",),
    "related": ("{相关阅读|更多报道}（$paper）：[headlines]",),
    "comments": ("评论(<number>) | {分享|转发} | 打印", "<number>条评论，{登录|加入}$paper后{回复|发言}。"),
    "copyright": (
        "© <year> $paper {未经许可不得转载|版权归本报所有}。",
        "<year>年$paper{出品|编印}，{转载|授权}请见<url> 。",
    ),
}

EXTRAS = (
    ("between", "$paper~n频道：~adj~n与~n，详见<url> "),
    ("between", "~n手册：~n、~n、~n一览，<date_iso>更新。"),
    ("inline", "（~n观察：<number>个~n）"),
    ("tail", "本栏目由~n~n与~n赞助。"),
    ("tail", "~adj~n应否~v？已有<count>人投票，<time>截止。"),
    ("head", "~n | ~n | <date_long>"),
)

HAN = Script(
    name="han",
    build_lexicon=build_lexicon,
    grammar=GRAMMAR,
    idioms=IDIOMS,
    gap="",
    stop="。",
    layouts=("", "\n"),
    capitals=False,
    digits=("0123456789",),
    papers=(
        ("港湾晨报", "gangwanchenbao"),
        ("七堰日报", "qiyanribao"),
        ("盐田观察", "yantianguancha"),
        ("石灯新闻", "shidengxinwen"),
        ("云渡晚报", "yunduwanbao"),
        ("麦城通讯", "maichengtongxun"),
        ("竹海时讯", "zhuhaishixun"),
        ("青崖周刊", "qingyazhoukan"),
    ),
    agencies=("北辰社", "四方通讯社", "海岸社"),
    name_list="、",
    weekdays=WEEKDAYS,
    months=MONTHS,
    halves=("上午", "下午"),
    forms={
        "date_long": ("{year}年{month}{day}日", "{year}年{month}{day}日{weekday}"),
        "time": ("{hour}:{minute}", "{hour}时{minute}分"),
        "price": ("{pounds}.{pence}元",),
    },
    boilerplate=BOILERPLATE,
    extras=EXTRAS,
    sections=("首页", "国际", "本地", "财经", "体育", "文化", "天气", "评论"),
    page={
        "lang": "zh",
        "dir": "ltr",
        "search": "搜索$paper",
        "login": "登录",
        "most": "今日热读",
        "comments": "读者的话",
        "reply": "回复",
        "share": "分享本文",
        "about": "关于我们|版本说明|广告|招聘|隐私",
        "rights": "© $year $paper，$city印制。",
        "cookies": "$paper会在您的设备上保存少量数据，可以全部接受，也可以逐项选择。",
    },
)
